import Dependencies

/// Work that follows an action: it runs outside the reducer and sends its results back as more actions.
///
/// Effects are structured: an effect runs in a task that is cancelled by its id, by its store, or when the child that
/// started it is removed.
public struct Effect<Action: Sendable>: Sendable {
  /// Nil for no effect, which allocates nothing.
  let node: Node?

  init(_ node: Node?) { self.node = node }

  /// One step of an effect.
  ///
  /// Its payloads are references. If the type of the action decided its size, that type would be looked up wherever a step is copied: 3,000
  /// instructions for each effect.
  enum Node: Sendable {
    case send(SentAction)
    case run(EffectWork<Action>)
    case merge([Node])
    case concatenate([Node])
    indirect case cancellable(Node, EffectID, cancelsInFlight: Bool)
    indirect case cancel(EffectID)
    indirect case throttle(Node, EffectThrottle)
    indirect case uncancellable(Node)
    indirect case detached(Node)
  }

  final class SentAction: Sendable {
    let action: Action

    init(_ action: Action) { self.action = action }
  }
}

extension Effect {
  /// No effect.
  public static var none: Self { Self(nil) }

  /// Sends another action at once, before the store's `send` returns. A child uses it to notify its parent; to share
  /// logic, call a function instead.
  public static func send(_ action: Action) -> Self { Self(.send(SentAction(action))) }

  /// Runs asynchronous work that may send any number of actions:
  ///
  /// ```swift
  /// return .run { send in
  ///   for await _ in clock.timer(interval: .seconds(1)) {
  ///     await send(.timerTick)
  ///   }
  /// }
  /// ```
  ///
  /// It runs outside the main actor. An error that it throws is passed to `catch`. Without `catch` an error is reported
  /// as an issue, except a cancellation.
  public static func run(
    priority: TaskPriority? = nil,
    operation: @escaping @Sendable (Send<Action>) async throws -> Void,
    catch handler: (@Sendable (any Error, Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID, line: UInt = #line
  ) -> Self {
    Self(.run(EffectWork(priority, operation, handler: handler, fileID: fileID, line: line)))
  }

  /// Runs all effects at the same time.
  public static func merge(_ effects: Self...) -> Self { merge(effects) }

  /// Runs all effects at the same time.
  public static func merge(_ effects: some Sequence<Self>) -> Self {
    let nodes = effects.compactMap { $0.node }
    return nodes.isEmpty ? .none : Self(.merge(nodes))
  }

  /// Runs this effect and `other` at the same time.
  public func merge(with other: Self) -> Self {
    guard let node else { return other }
    guard let next = other.node else { return self }
    return Self(.merge([node, next]))
  }

  /// Runs the effects in order: each starts when the one before has ended. After a cancellation no further one starts.
  public static func concatenate(_ effects: Self...) -> Self { concatenate(effects) }

  /// Runs the effects in order: each starts when the one before has ended. After a cancellation no further one starts.
  public static func concatenate(_ effects: some Sequence<Self>) -> Self {
    let nodes = effects.compactMap { $0.node }
    return nodes.isEmpty ? .none : Self(.concatenate(nodes))
  }

  /// Runs this effect, then `other`.
  public func concatenate(with other: Self) -> Self { .concatenate(self, other) }
}
