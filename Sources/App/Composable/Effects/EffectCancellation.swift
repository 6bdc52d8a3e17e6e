extension Effect {
  /// The same, to be cancelled by `id`, with whatever it begins later.
  ///
  /// - Parameters:
  ///   - id: names it among the effects of a store.
  ///   - cancelInFlight: cancels what runs under `id` first, as a search does when more is typed.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
    cancellable(EffectID(id), inFlight: cancelInFlight)
  }

  /// As the other, with a type for a name:
  ///
  /// ```swift
  /// private enum TimerID {}
  /// return .run { … }.cancellable(id: TimerID.self)
  /// ```
  public func cancellable(id: Any.Type, cancelInFlight: Bool = false) -> Self {
    cancellable(EffectID(id), inFlight: cancelInFlight)
  }

  /// Cancels what runs under `id`; nothing where nothing does.
  public static func cancel(id: some Hashable & Sendable) -> Self { cancel(EffectID(id)) }

  /// Cancels what runs under the type.
  public static func cancel(id: Any.Type) -> Self { cancel(EffectID(id)) }

  /// The same, come what may: neither its ids, nor the ``StoreTask`` of the action, nor the end of a child cancel it. Only
  /// with its store it ends. For what must come to an answer once it was begun, such as raising an alert.
  public func uncancellable() -> Self { node.map { Self(.uncancellable($0)) } ?? .none }

  /// The same on its own: whoever waits for the action, or cancels it, neither waits for this nor cancels it. Its ids, the
  /// end of its child and the store do. For what an action begins and that outlives it, such as a stream.
  public func detached() -> Self { node.map { Self(.detached($0)) } ?? .none }

  func cancellable(_ id: EffectID, inFlight cancelsInFlight: Bool) -> Self {
    guard let node else { return cancelsInFlight ? .cancel(id) : .none }
    return Self(.cancellable(node, id, cancelsInFlight: cancelsInFlight))
  }

  static func cancel(_ id: EffectID) -> Self { Self(.cancel(id)) }
}
