import Composable
import Dependencies

/// The effects that follow an action that a test sent.
@MainActor
public struct TestStoreTask: Sendable {
  let task: StoreTask
  let settle: @Sendable () async -> Void
  let event: @MainActor @Sendable (ContinuousClock.Instant) async -> Bool

  /// Whether all effects have ended.
  public var isFinished: Bool { task.isFinished }

  /// Returns when all effects have ended. Fails if that takes longer than `timeout` of real time.
  public func finish(
    timeout: Duration = .seconds(1),
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async {
    let deadline = ContinuousClock.now + timeout
    await settle()
    while !task.isFinished {
      if await event(deadline) { continue }
      let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
      return fail(FailureText.taskRunning(after: timeout), at: location)
    }
    await settle()
  }

  /// Cancels all effects, and returns when they have ended.
  public func cancel() async {
    await task.cancel()
    await settle()
  }
}
