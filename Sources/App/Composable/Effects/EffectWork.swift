import Dependencies

/// The work of an effect, and what becomes of an error that it throws.
struct EffectWork<Action: Sendable>: Sendable {
  let operation: @Sendable (Send<Action>) async throws -> Void
  /// Nil where an error is an issue, reported at the place of the effect.
  var handler: (@Sendable (any Error, Send<Action>) async -> Void)?
  let fileID: StaticString
  let line: UInt

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
    let (operation, handler) = (operation, handler)
    var work = EffectWork<NewAction>(
      operation: { send in try await operation(map(send)) }, handler: nil, fileID: fileID, line: line)
    if let handler { work.handler = { error, send in await handler(error, map(send)) } }
    return work
  }
}
