import Composable

/// What the store under test did that the test has not asserted yet.
@MainActor
final class TestRecording<State, Action: Sendable> {
  /// An action that came from an effect, and the state after it.
  struct Received {
    let action: Action
    let state: State
  }

  /// In the order in which they arrived.
  var received: [Received] = []
  /// The state after the action that the test sent last; nil once it was taken.
  private var stateAfterSent: State?
  /// The number of the current wait, so that the timer of an earlier wait is ignored.
  private var waitCount = 0
  private var waiting: CheckedContinuation<Bool, Never>?

  func reduced(_ action: Action, _ origin: ActionOrigin, _ state: State) {
    switch origin {
    case .sent: stateAfterSent = state
    case .effect: received.append(Received(action: action, state: state))
    }
    resume(true)
  }

  func effectEnded() { resume(true) }

  func takeStateAfterSent() -> State? {
    defer { stateAfterSent = nil }
    return stateAfterSent
  }

  /// Waits for the next event. Returns false if there is none before `deadline`.
  func event(before deadline: ContinuousClock.Instant) async -> Bool {
    waitCount += 1
    let wait = waitCount
    let timer = Task { @MainActor in
      let clock = ContinuousClock()
      // The sleep throws if an event came first, which cancels this task.
      guard (try? await clock.sleep(until: deadline)) != nil, wait == waitCount else { return }
      resume(false)
    }
    defer { timer.cancel() }
    return await withCheckedContinuation { waiting = $0 }
  }

  private func resume(_ happened: Bool) {
    let resumed = waiting
    waiting = nil
    resumed?.resume(returning: happened)
  }
}
