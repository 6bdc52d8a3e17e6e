import Composable
import Dependencies
import Dispatch

/// What a test must not leave behind: actions that were not received, effects that run.
struct TestEnd<State, Action: Sendable>: Sendable {
  let store: Store<State, Action>
  let recording: TestRecording<State, Action>
  let exhaustivity: Exhaustivity
  /// Whether effects may run on: the test has skipped them, or has been told of them.
  let areEffectsExcused: Bool
  let location: CodeLocation

  /// Fails, or warns, for what is left.
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

  /// Checks when the test's store goes, and ends its effects.
  ///
  /// It must happen in the task that lets go of the store, for only there it is known whose test it is; an isolated
  /// `deinit` runs apart from all tasks.
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

/// Tells whether code runs on the main actor's queue, which need not be the main thread's.
enum MainQueueMark {
  private static let key = DispatchSpecificKey<Bool>()
  private static let isSet: Void = DispatchQueue.main.setSpecific(key: key, value: true)

  /// Must be called before the mark is asked for.
  static func set() { isSet }

  static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) == true }
}
