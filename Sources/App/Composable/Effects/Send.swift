import Dependencies

/// Sends actions from an effect into its store: `await send(.timerTick)`.
///
/// What an effect sends after it was cancelled is dropped; in debug a warning is told.
@MainActor
public struct Send<Action: Sendable>: Sendable {
  private let deliver: @MainActor @Sendable (Action) -> Void

  /// One that gives what it is sent to `deliver`.
  nonisolated public init(_ deliver: @escaping @MainActor @Sendable (Action) -> Void) {
    self.deliver = deliver
  }

  /// Sends `action`. When it returns, the store's state has changed.
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
