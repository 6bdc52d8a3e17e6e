import Composable
import Dependencies
import Synchronization

/// Collects values from any thread.
final class Collected<Value: Sendable>: Sendable {
  private let storage = Mutex<[Value]>([])

  var values: [Value] { storage.withLock { $0 } }

  func append(_ value: Value) { storage.withLock { $0.append(value) } }
}

/// A store whose effects run on a scheduler, so that a test can wait until they are idle.
@MainActor
struct SettledStore<State, Action: Sendable> {
  let store: Store<State, Action>
  let scheduler = EffectScheduler()

  init(_ state: State, clock: TestClock = TestClock(), reducer: some Reducer<State, Action>) {
    store = Store(
      initialState: state, reducer: { reducer },
      withDependencies: {
        $0.context = .test
        $0.continuousClock = clock
      }, recorder: nil, scheduler: scheduler)
  }

  var state: State { store.state }

  func send(_ action: Action) async {
    store.send(action)
    await scheduler.settle()
  }
}

/// Blocks effects until it is opened.
final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when it is open, cancelled or not.
  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}

/// Runs `operation` and returns the issues that it reported.
@MainActor
func issues(during operation: () async -> Void) async -> [ReportedIssue] {
  let collected = Collected<ReportedIssue>()
  await IssueReporting.withReporter({ collected.append($0) }, operation: operation)
  return collected.values
}
