import Composable

/// What the store under test did that the test has not spoken of yet.
@MainActor
final class TestRecording<State, Action: Sendable> {
  /// An action that came from an effect, and the state after it.
  struct Received {
    let action: Action
    let state: State
  }

  /// In the order of their coming.
  var received: [Received] = []
  /// The state after the action that the test sent last, once.
  private var stateAfterSent: State?
  /// Tells a timer that comes too late from the one that is waited for.
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

  /// Waits until anything happens or it is `deadline`; false where nothing did.
  func event(before deadline: ContinuousClock.Instant) async -> Bool {
    waitCount += 1
    let wait = waitCount
    let timer = Task { @MainActor in
      let clock = ContinuousClock()
      // Cancelled: something has happened.
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
