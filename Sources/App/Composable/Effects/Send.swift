import Dependencies

/// Sends actions from an effect into its store: `await send(.timerTick)`.
///
/// An action that a cancelled effect sends is dropped; a debug build reports a warning.
@MainActor
public struct Send<Action: Sendable>: Sendable {
  private let deliver: @MainActor @Sendable (Action) -> Void

  /// Makes a `Send` that passes its actions to `deliver`.
  nonisolated public init(_ deliver: @escaping @MainActor @Sendable (Action) -> Void) {
    self.deliver = deliver
  }

  /// Sends `action`. The store has handled it when this returns.
  public func callAsFunction(_ action: Action) {
    guard !Task.isCancelled else { return reportLateSend(action) }
    deliver(action)
  }

  private func reportLateSend(_ action: Action) {
    #if DEBUG
      IssueReporting.report(
        "an effect sent “\(actionName(action))” after it was cancelled; it is dropped", severity: .warning)
    #endif
  }
}
