import Composable
import ComposableTesting
import Dependencies
import Testing

@MainActor @Suite struct `A test store and the actions of effects` {
  private func store(_ request: @escaping @Sendable () async throws -> [String] = { ["a"] }) -> TestStoreOf<Search> {
    TestStore(initialState: Search.State()) {
      Search(request: request)
    } withDependencies: {
      $0.date = .constant(.now)
    }
  }

  @Test func `An action is received by its value, its case, or a predicate`() async {
    let store = store()
    await store.send(.load) { $0.isLoading = true }
    await store.receive(.loaded(.success(["a"]))) {
      $0.isLoading = false
      $0.results = ["a"]
    }
    await store.send(.load) { $0.isLoading = true }
    await store.receive(\.loaded) { $0.isLoading = false }
    await store.send(.load) { $0.isLoading = true }
    await store.receive {
      $0 == .loaded(.success(["a"]))
    } assert: {
      $0.isLoading = false
    }
    await store.finish()
  }

  @Test func `The state is asserted as it was after each action, even if more have followed`() async {
    let store = store()
    let task = await store.send(.announce("x"))
    await store.receive(.announced)
    await task.finish()
    #expect(task.isFinished)
  }

  @Test func `An unexpected action fails and is removed`() async {
    let store = store()
    await store.send(.load) { $0.isLoading = true }
    await expectIssues([
      """
      The received action is not the expected one:

        .loaded(.success([
      −   "b"
      +   "a"
        ]))

      (− expected, + actual)
      """
    ]) {
      await store.receive(.loaded(.success(["b"])))
    }
    #expect(store.state.results == ["a"])
    await store.finish()
  }

  @Test func `An action of an unexpected case fails`() async {
    let store = store()
    await store.send(.load) { $0.isLoading = true }
    await expectIssues([
      """
      Expected the action .tick, and received another action:

        .loaded(.success([
          "a"
        ]))
      """
    ]) {
      await store.receive(\.tick)
    }
  }

  @Test func `A missing action of a case with a payload is described by its payload`() async {
    await expectIssues([
      "Expected to receive an action of the case that carries a 'TaskResult<Array<String>>'. "
        + "No effect is running that could send it."
    ]) {
      await store().receive(\.loaded)
    }
  }

  @Test func `Sending while an action is unreceived fails and continues`() async {
    let store = store()
    await store.send(.load) { $0.isLoading = true }
    await expectIssues([
      """
      1 action from effects had not been received when the test sent .increment:

        .loaded(.success([
          "a"
        ]))
      """
    ]) {
      await store.send(.increment) { $0.count = 1 }
    }
    #expect(store.state.results == ["a"])
  }

  @Test func `Nothing to receive and no effect fails at once`() async {
    let store = store()
    await expectIssues([
      """
      Expected to receive

        .tick

      No effect is running that could send it.
      """
    ]) {
      await store.receive(.tick, timeout: .seconds(1000))
    }
  }

  @Test func `Nothing to receive while an effect waits fails after the timeout`() async {
    let clock = TestClock()
    let store = TestStore(initialState: Search.State()) {
      Search()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.startTimer)
    await expectIssues([
      "Expected to receive the action .tick. 1 effect still running after 0.01 seconds."
    ]) {
      await store.receive(\.tick, timeout: .milliseconds(10))
    }
    await store.skipInFlightEffects()
  }

  @Test func `A missing clock is reported`() async {
    let store = TestStore(initialState: Search.State()) { Search() }
    await store.send(.startTimer)
    await expectIssues([
      """
      Expected to receive

        .tick

      No effect is running that could send it.

      An effect tried to sleep on the dependency 'continuousClock', which this test does not set. The sleep ended at \
      once, as if cancelled. Set the clock to a 'TestClock' or an 'ImmediateClock'.
      """
    ]) {
      await store.receive(.tick)
    }
  }

  @Test func `An action from outside is awaited`() async {
    let (answers, answer) = AsyncStream<[String]>.makeStream()
    let store = store { await answers.first { _ in true } ?? [] }
    await store.send(.load) { $0.isLoading = true }
    Task.detached { answer.yield(["late"]) }
    await store.receive(\.loaded, timeout: .seconds(60)) {
      $0.isLoading = false
      $0.results = ["late"]
    }
    await store.finish()
  }

  @Test func `Ticks of a test's clock arrive one by one, a thousand times in the same order`() async {
    for _ in 0..<1000 {
      let clock = TestClock()
      let store = TestStore(initialState: Search.State()) {
        Search()
      } withDependencies: {
        $0.continuousClock = clock
      }
      await store.send(.startTimer)
      await clock.advance(by: .seconds(2))
      await store.receive(.tick) { $0.count = 10 }
      await store.receive(.tick) { $0.count = 20 }
      await store.send(.stopTimer)
      await clock.advance(by: .seconds(5))
      await store.finish()
    }
  }
}
