import Composable
import ComposableTesting
import Dependencies
import Testing

@MainActor @Suite struct `A test store at its end` {
  private func ticking() -> TestStoreOf<Search> {
    TestStore(initialState: Search.State()) {
      Search()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
  }
  private let running =
    "1 effect still running when the test ended. To end them, send an action that cancels them, advance their clock, "
    + "or call 'skipInFlightEffects()'."

  @Test func `An effect that runs when the store is released fails the test`() async {
    await expectIssues([running]) {
      let store = ticking()
      await store.send(.startTimer)
    }
  }

  @Test func `An action that is left when the store is released fails the test`() async {
    await expectIssues([
      """
      1 action from effects had not been received when the test ended:

        .loaded(.success([]))
      """
    ]) {
      let store = TestStore(initialState: Search.State()) { Search() }
      await store.send(.load) { $0.isLoading = true }
    }
  }

  @Test func `Finishing waits for effects, fails once, and not again when the store is released`() async {
    await expectIssues([running]) {
      let store = ticking()
      await store.send(.startTimer)
      await store.finish(timeout: .milliseconds(10))
    }
  }

  @Test func `The effects of one action can be awaited or cancelled`() async {
    let store = ticking()
    let task = await store.send(.startTimer)
    #expect(!task.isFinished)
    await expectIssues(["The effects of the action are still running after 0.01 seconds."]) {
      await task.finish(timeout: .milliseconds(10))
    }
    await task.cancel()
    #expect(task.isFinished)
    await store.finish()
  }

  @Test func `Actions and effects that are skipped do not fail`() async {
    let store = ticking()
    await store.send(.startTimer)
    await store.skipInFlightEffects()
    await store.send(.load) { $0.isLoading = true }
    await store.skipReceivedActions()
    #expect(!store.state.isLoading)
  }

  @Test func `Skipping nothing fails, unless it is not strict`() async {
    let store = ticking()
    await expectIssues(["There is no action to skip.", "There is no effect to skip."]) {
      await store.skipReceivedActions()
      await store.skipInFlightEffects()
    }
    await store.skipReceivedActions(strict: false)
    await store.skipInFlightEffects(strict: false)
  }

  @Test func `The feature's store is released with the test store`() async {
    weak var clock: TestClock?
    await expectIssues([running]) {
      let used = TestClock()
      clock = used
      let store = TestStore(initialState: Search.State()) {
        Search()
      } withDependencies: {
        $0.continuousClock = used
      }
      await store.send(.startTimer)
    }
    for _ in 0..<1000 where clock != nil { await Task.yield() }
    #expect(clock == nil)
  }
}

@MainActor @Suite struct `A test store that is not exhaustive` {
  private let store = TestStore(initialState: Search.State()) { Search(request: { ["a"] }) }

  @Test func `Only asserted values must hold`() async {
    store.exhaustivity = .off
    await store.send(.increment)
    await store.send(.load) { $0.count = 1 }
    await store.receive(\.loaded) { $0.results = ["a"] }
    await store.send(.startTimer)
    await store.send(.load)
  }

  @Test func `A wrong assertion fails`() async {
    store.exhaustivity = .off
    await expectIssues([
      """
      The state differs from the expected one:

        Search.State(
      −   count: 2
      +   count: 1
          … (2 unchanged)
        )

      (− expected, + actual)
      """
    ]) {
      await store.send(.increment) { $0.count = 2 }
    }
  }

  @Test func `Actions before the expected one are skipped, and reported on demand`() async {
    store.exhaustivity = .off(showSkippedAssertions: true)
    await expectIssues([
      """
      Not asserted:

        Search.State(
          … (2 unchanged)
      −   isLoading: false
      +   isLoading: true
        )

      (− expected, + actual)
      """,
      """
      Skipped 1 action from effects:

        .loaded(.success([
          "a"
        ]))
      """,
    ]) {
      await store.send(.load)
      await store.skipReceivedActions()
    }
  }
}

@MainActor @Suite struct `A test store and dependencies` {
  @Test func `An unset dependency fails the test and is named`() async {
    let text = "Unimplemented: 'DateGenerator (the dependency 'date')' was used in a test that has not set it."
    await expectIssues([text], in: "Dependencies") {
      let store = TestStore(initialState: Search.State()) { Search() }
      await store.send(.announced)
      await store.finish()
    }
  }

  @Test func `They can be read, and each store has its own`() async {
    let first = TestStore(initialState: Search.State()) { Search() }
    let second = TestStore(initialState: Search.State()) { Search() }
    #expect(first.dependencies.context == .test)
    #expect(
      first.dependencies.continuousClock as? StoppedClock !== second.dependencies.continuousClock as? StoppedClock)
  }
}
