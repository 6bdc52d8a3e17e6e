extension Effect {
  /// Makes the effect cancellable by `id`, together with all that it starts later.
  ///
  /// - Parameters:
  ///   - id: identifies the effect within its store.
  ///   - cancelInFlight: first cancels the running effects with this `id`, as a search does when more is typed.
  public func cancellable(id: some Hashable & Sendable, cancelInFlight: Bool = false) -> Self {
    cancellable(EffectID(id), inFlight: cancelInFlight)
  }

  /// Makes the effect cancellable, with a type as its id:
  ///
  /// ```swift
  /// private enum TimerID {}
  /// return .run { … }.cancellable(id: TimerID.self)
  /// ```
  public func cancellable(id: Any.Type, cancelInFlight: Bool = false) -> Self {
    cancellable(EffectID(id), inFlight: cancelInFlight)
  }

  /// Cancels the running effects with this `id`, if there are any.
  public static func cancel(id: some Hashable & Sendable) -> Self { cancel(EffectID(id)) }

  /// Cancels the running effects whose id is this type.
  public static func cancel(id: Any.Type) -> Self { cancel(EffectID(id)) }

  /// Makes the effect run to its end: neither its ids, nor the ``StoreTask`` of the action, nor the removal of a child
  /// cancels it. Only the end of its store does. Use it for work that must finish once started, such as raising an
  /// alert.
  public func uncancellable() -> Self { node.map { Self(.uncancellable($0)) } ?? .none }

  /// Detaches the effect from the ``StoreTask`` of its action, which then neither waits for it nor cancels it. Its ids,
  /// the removal of its child and the end of the store still cancel it. Use it for work that outlives its action, such
  /// as a stream.
  public func detached() -> Self { node.map { Self(.detached($0)) } ?? .none }

  func cancellable(_ id: EffectID, inFlight cancelsInFlight: Bool) -> Self {
    guard let node else { return cancelsInFlight ? .cancel(id) : .none }
    return Self(.cancellable(node, id, cancelsInFlight: cancelsInFlight))
  }

  static func cancel(_ id: EffectID) -> Self { Self(.cancel(id)) }
}
