import Composable
import Dependencies
import Dispatch

/// Checks what a test must not leave behind: actions that it did not receive, and running effects.
struct TestEnd<State, Action: Sendable>: Sendable {
  let store: Store<State, Action>
  let recording: TestRecording<State, Action>
  let exhaustivity: Exhaustivity
  /// Whether running effects are allowed: the test has skipped them, or they were already reported.
  let areEffectsExcused: Bool
  let location: CodeLocation

  /// Fails or warns for each action and effect that is left.
  @MainActor
  func check() {
    checkActions()
    let count = store.effectsInFlight
    guard count > 0, !areEffectsExcused else { return }
    switch exhaustivity {
    case .on: fail(FailureText.effectsRunning(count), at: location)
    case .off(showSkippedAssertions: true): warn(FailureText.effectsRunning(count), at: location)
    case .off: break
    }
  }

  @MainActor
  private func checkActions() {
    let actions = recording.received.map { $0.action as Any }
    guard !actions.isEmpty else { return }
    switch exhaustivity {
    case .on: fail(FailureText.actionsLeft(actions, when: .end), at: location)
    case .off(showSkippedAssertions: true): warn(FailureText.skippedActions(actions), at: location)
    case .off: break
    }
  }

  /// Checks when the test's store is released, and cancels its effects.
  ///
  /// It must run in the task that releases the store: only there does Swift Testing know the current test. An isolated
  /// `deinit` would run outside of all tasks.
  func checkWhenStoreGoes() {
    guard MainQueueMark.isCurrent else {
      Task { @MainActor in finish() }
      return
    }
    MainActor.assumeIsolated { finish() }
  }

  @MainActor
  private func finish() {
    check()
    store.cancelEffects()
  }
}

/// Tells whether code runs on the main actor's queue, which may use another thread than the main one.
enum MainQueueMark {
  private static let key = DispatchSpecificKey<Bool>()
  private static let isSet: Void = DispatchQueue.main.setSpecific(key: key, value: true)

  /// Must be called before `isCurrent` is read.
  static func set() { isSet }

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
