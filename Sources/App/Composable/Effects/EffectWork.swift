import Dependencies

/// The work of an effect, and what becomes of an error that it throws.
final class EffectWork<Action: Sendable>: Sendable {
  let priority: TaskPriority?
  let operation: @Sendable (Send<Action>) async throws -> Void
  /// Nil where an error is an issue, reported at the place of the effect.
  private let handler: (@Sendable (any Error, Send<Action>) async -> Void)?
  private let fileID: StaticString
  private let line: UInt

  init(
    _ priority: TaskPriority?, _ operation: @escaping @Sendable (Send<Action>) async throws -> Void,
    handler: (@Sendable (any Error, Send<Action>) async -> Void)?, fileID: StaticString, line: UInt
  ) {
    self.priority = priority
    self.operation = operation
    self.handler = handler
    self.fileID = fileID
    self.line = line
  }

  /// Takes what the operation threw. Nobody hears of a cancellation.
  func take(_ error: any Error, _ send: Send<Action>) async {
    if error is CancellationError || Task.isCancelled { return }
    if let handler { return await handler(error, send) }
    IssueReporting.report(
      "an effect threw \(type(of: error)), which is not caught; handle it in the effect, or pass `catch:`",
      fileID: fileID, line: line)
  }

  /// The same work, whose actions are transformed.
  func map<NewAction: Sendable>(
    _ transform: @escaping @Sendable (Action) -> NewAction
  ) -> EffectWork<NewAction> {
    let map: @Sendable (Send<NewAction>) -> Send<Action> = { send in Send { action in send(transform(action)) } }
    var newHandler: (@Sendable (any Error, Send<NewAction>) async -> Void)?
    if let handler { newHandler = { error, send in await handler(error, map(send)) } }
    return EffectWork<NewAction>(
      priority, { [operation] send in try await operation(map(send)) }, handler: newHandler, fileID: fileID, line: line)
  }
}
