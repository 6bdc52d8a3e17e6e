public import Composable
public import Dependencies

/// Runs a feature in a test, and fails if the feature does anything that the test does not assert.
///
/// ```swift
/// @Test @MainActor func `a tap fills a quarter`() async {
///   let store = TestStore(initialState: AlertFeature.State()) {
///     AlertFeature()
///   } withDependencies: {
///     $0.date = .constant(start)
///   }
///   await store.send(.alertButtonTapped) {
///     $0.activationProgress = 0.25
///   }
/// }
/// ```
///
/// The closures of `send` and `receive` get the state before the action, and must change it to the state after it. The
/// test must receive every action from an effect before it sends the next one. When it ends, no action may be left and
/// no effect may run. A dependency that is not set has its test value. Effects run on the store's own scheduler, and
/// `send` and `receive` return when all of them are suspended: no test depends on how busy the machine is.
@MainActor
public final class TestStore<State: Equatable, Action: Equatable & Sendable> {
  /// The state after the last action that the test has sent or received.
  public internal(set) var state: State
  /// How much the test must assert; everything by default.
  public var exhaustivity: Exhaustivity = .on
  /// The feature's dependencies.
  public let dependencies: DependencyValues

  let store: Store<State, Action>
  let recording: TestRecording<State, Action>
  let scheduler: EffectScheduler
  /// The place of the initializer's call: the location of a failure that belongs to no other call.
  let location: CodeLocation
  /// Whether running effects were already reported or skipped.
  var areEffectsExcused = false

  /// Makes a feature in its initial state.
  ///
  /// It calls `reducer` once, with the test values of all dependencies, as changed by `withDependencies`.
  public init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State, @ReducerBuilder<State, Action> reducer: () -> R,
    withDependencies update: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    installTestIssueReporter()
    MainQueueMark.set()
    let recording = TestRecording<State, Action>()
    let scheduler = EffectScheduler()
    var dependencies = DependencyValues(context: .test)
    store = Store(
      initialState: initialState(),
      reducer: {
        dependencies = DependencyValues.current
        return reducer()
      },
      withDependencies: {
        $0.context = .test
        update(&$0)
      },
      recorder: StoreRecorder(
        reduced: { recording.reduced($0, $1, $2) }, effectEnded: { recording.effectEnded() }),
      scheduler: scheduler)
    self.recording = recording
    self.scheduler = scheduler
    self.dependencies = dependencies
    state = store.state
    location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
  }

  deinit {
    TestEnd(
      store: store, recording: recording, exhaustivity: exhaustivity, areEffectsExcused: areEffectsExcused,
      location: location
    ).checkWhenStoreGoes()
  }

  var isExhaustive: Bool { exhaustivity == .on }

  /// Fails for actions that were not received and for running effects, and then clears both.
  func checkNothingIsLeft(at location: CodeLocation) {
    TestEnd(
      store: store, recording: recording, exhaustivity: exhaustivity, areEffectsExcused: areEffectsExcused,
      location: location
    ).check()
    state = recording.received.last?.state ?? state
    recording.received = []
    areEffectsExcused = store.effectsInFlight > 0
  }

  /// Drops all received actions: fails for them in an exhaustive test, otherwise warns if the test wants warnings.
  func skipReceived(failingWith text: ([Any]) -> String, at location: CodeLocation) {
    guard let last = recording.received.last else { return }
    let actions = recording.received.map { $0.action as Any }
    recording.received = []
    state = last.state
    if isExhaustive {
      fail(text(actions), at: location)
    } else {
      showSkipped(FailureText.skippedActions(actions), at: location)
    }
  }

  /// Reports a warning if the test wants to see omitted assertions.
  func showSkipped(_ text: String, at location: CodeLocation) {
    guard exhaustivity == .off(showSkippedAssertions: true) else { return }
    warn(text, at: location)
  }
}

/// The store of a feature in a test: `TestStoreOf<AlertFeature>`.
public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action>
where R.State: Equatable, R.Action: Equatable
