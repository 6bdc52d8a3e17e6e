public import Composable
public import Dependencies

/// Runs a feature in a test, and fails where the feature does anything that the test has not foreseen.
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
/// `send` and `receive` are given the state as it was, and make of it the state that must follow. An action that comes from
/// an effect must be received before the next one is sent, and when the test ends no action may be left and no effect may run.
/// Dependencies that are not set have their test values. Effects run on a scheduler of the store, so that `send` and
/// `receive` return when all of them are waiting for something: no test depends on how busy the machine is.
@MainActor
public final class TestStore<State: Equatable, Action: Equatable & Sendable> {
  /// The state after the last action that the test has sent or received.
  public internal(set) var state: State
  /// How much has to be asserted. At first all.
  public var exhaustivity: Exhaustivity = .on
  /// What the feature depends on.
  public let dependencies: DependencyValues

  let store: Store<State, Action>
  let recording: TestRecording<State, Action>
  let scheduler: EffectScheduler
  /// Where it was made: the place of a failure that nobody else can be blamed for.
  let location: CodeLocation
  /// Whether effects that do not end have been told of, or were skipped.
  var areEffectsExcused = false

  /// A feature in its first state.
  ///
  /// The feature is made once, here, with the test values of its dependencies as `withDependencies` changes them.
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

  /// Fails for actions that were not received and for effects that still run, and forgets both.
  func checkNothingIsLeft(at location: CodeLocation) {
    TestEnd(
      store: store, recording: recording, exhaustivity: exhaustivity, areEffectsExcused: areEffectsExcused,
      location: location
    ).check()
    state = recording.received.last?.state ?? state
    recording.received = []
    areEffectsExcused = store.effectsInFlight > 0
  }

  /// Takes out all that was received. Where that must not be, it fails.
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

  /// A warning, where the test wants to see what it leaves out.
  func showSkipped(_ text: String, at location: CodeLocation) {
    guard exhaustivity == .off(showSkippedAssertions: true) else { return }
    warn(text, at: location)
  }
}

/// The store of a feature in a test: `TestStoreOf<AlertFeature>`.
public typealias TestStoreOf<R: Reducer> = TestStore<R.State, R.Action>
where R.State: Equatable, R.Action: Equatable
