import Composable
import ComposableTesting
import Dependencies
import Testing

@MainActor @Suite struct `A test store and the state` {
  private let store = TestStore(initialState: Search.State()) { Search() }

  @Test func `An asserted change passes`() async {
    await store.send(.increment) { $0.count = 1 }
    #expect(store.state.count == 1)
    store.assert { $0.count = 1 }
  }

  @Test func `A different change fails`() async {
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
    #expect(store.state.count == 1, "it continues with the actual state")
  }

  @Test func `An unasserted change fails`() async {
    await expectIssues([
      """
      The state changed, and the test expects no change:

        Search.State(
      −   count: 0
      +   count: 1
          … (2 unchanged)
        )

      (− expected, + actual)

      Assert the change in a trailing closure.
      """
    ]) {
      await store.send(.increment)
    }
  }

  @Test func `A closure that changes nothing fails`() async {
    await expectIssues([
      "Neither the trailing closure nor the action changes the state. "
        + "Omit the closure if you expect no change."
    ]) {
      await store.send(.stopTimer) { $0.count = 0 }
    }
  }

  @Test func `An error in the closure fails`() async {
    enum Refused: Error { case always }
    await expectIssues(["The trailing closure threw .always."]) {
      await store.send(.increment) { _ in throw Refused.always }
    }
  }

  @Test func `An assertion of something else fails`() async {
    await expectIssues([
      """
      The state differs from the expected one:

        Search.State(
          … (2 unchanged)
      −   isLoading: true
      +   isLoading: false
        )

      (− expected, + actual)
      """
    ]) {
      store.assert { $0.isLoading = true }
    }
  }
}
