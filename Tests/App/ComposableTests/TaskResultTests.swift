import Composable
import Testing

@Suite struct `A task's result` {
  private struct Plain: Error { var text = "" }
  private enum Known: Error, Equatable { case one, two }
  private struct Opaque: Sendable {}

  @Test func `is equal to another with the same result`() {
    #expect(TaskResult.success(1) == .success(1))
    #expect(TaskResult.success(1) != .success(2))
    #expect(TaskResult<Int>.failure(Known.one) == .failure(Known.one))
    #expect(TaskResult<Int>.failure(Known.one) != .failure(Known.two))
    #expect(TaskResult<Int>.success(1) != .failure(Known.two))
  }

  @Test func `compares values that are not equatable by type and text`() {
    #expect(TaskResult<Void>.success(()) == .success(()))
    #expect(TaskResult<Opaque>.success(Opaque()) == .success(Opaque()))
    #expect(TaskResult<Int>.failure(Plain(text: "a")) == .failure(Plain(text: "a")))
    #expect(TaskResult<Int>.failure(Plain(text: "a")) != .failure(Plain(text: "b")))
    #expect(TaskResult<Int>.failure(Plain()) != .failure(Known.one))
  }

  @Test func `catches what its body throws`() async {
    #expect(await TaskResult { 7 } == .success(7))
    #expect(await TaskResult<Int> { throw Known.two } == .failure(Known.two))
    #expect(throws: Known.two) { try TaskResult<Int>(Result<Int, Known>.failure(.two)).value }
    #expect(TaskResult(Result<Int, Known>.success(3)).map { $0 * 2 } == .success(6))
  }
}
