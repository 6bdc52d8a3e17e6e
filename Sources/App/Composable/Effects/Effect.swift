import Dependencies

/// What follows an action: work that goes on outside the reducer and comes back as more actions.
///
/// Effects are structured: work lives in a task that ends when it is cancelled, by its id, by its store, or with the child
/// that began it.
public struct Effect<Action: Sendable>: Sendable {
  /// Nil is no effect at all: then nothing is allocated.
  let node: Node?

  init(_ kind: Node.Kind) { node = Node(kind) }

  private init(none: Void) { node = nil }

  /// One step of an effect.
  final class Node: Sendable {
    enum Kind: Sendable {
      case send(Action)
      case run(TaskPriority?, @Sendable (Send<Action>) async -> Void)
      case merge([Node])
      case concatenate([Node])
      case cancellable(Node, EffectID, cancelsInFlight: Bool)
      case cancel(EffectID)
      case throttle(Node, EffectThrottle)
      case uncancellable(Node)
      case detached(Node)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }
  }
}

extension Effect {
  /// Nothing follows.
  public static var none: Self { Self(none: ()) }

  /// Another action follows at once, before `send` of the store returns. For what children tell their parents; to share
  /// logic, call a function.
  public static func send(_ action: Action) -> Self { Self(.send(action)) }

  /// Work that may wait, and sends as many actions as it likes:
  ///
  /// ```swift
  /// return .run { send in
  ///   for await _ in clock.timer(interval: .seconds(1)) {
  ///     await send(.timerTick)
  ///   }
  /// }
  /// ```
  ///
  /// It runs outside the main actor. An error that it throws goes to `catch`; without one it is a mistake that is reported,
  /// unless it is the cancellation.
  public static func run(
    priority: TaskPriority? = nil,
    operation: @escaping @Sendable (Send<Action>) async throws -> Void,
    catch handler: (@Sendable (any Error, Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line
  ) -> Self {
    Self(
      .run(priority) { send in
        do {
          try await operation(send)
        } catch is CancellationError {
          return
        } catch {
          guard !Task.isCancelled else { return }
          if let handler { return await handler(error, send) }
          IssueReporting.report(
            "an effect threw \(type(of: error)) and nobody catches it; handle it in the effect, or give `catch:`",
            fileID: fileID, filePath: filePath, line: line)
        }
      })
  }

  /// All of them at once.
  public static func merge(_ effects: Self...) -> Self { merge(effects) }

  /// All of them at once.
  public static func merge(_ effects: some Sequence<Self>) -> Self {
    let nodes = effects.compactMap(\.node)
    return nodes.isEmpty ? .none : Self(.merge(nodes))
  }

  /// This one and `other` at once.
  public func merge(with other: Self) -> Self {
    guard let node else { return other }
    guard let next = other.node else { return self }
    return Self(.merge([node, next]))
  }

  /// One after the other: each begins when all work of the one before has ended, and none after a cancellation.
  public static func concatenate(_ effects: Self...) -> Self { concatenate(effects) }

  /// One after the other: each begins when all work of the one before has ended, and none after a cancellation.
  public static func concatenate(_ effects: some Sequence<Self>) -> Self {
    let nodes = effects.compactMap(\.node)
    return nodes.isEmpty ? .none : Self(.concatenate(nodes))
  }

  /// This one, then `other`.
  public func concatenate(with other: Self) -> Self { .concatenate(self, other) }
}
