import SystemKit

/// Where misuse and unset dependencies are told of.
///
/// In a debug build an issue is written to standard error, in a release build it is nothing; where `ComposableTesting`'s
/// `TestStore` is used, it fails the test.
public enum IssueReporting {
  /// Does something with an issue. Called on any thread.
  public typealias Reporter = @Sendable (ReportedIssue) -> Void

  private static let processReporter = Lock<Reporter>(writeInDebugBuilds)

  /// Takes the place of the process's reporter in this task and the tasks that it makes.
  @TaskLocal private static var taskReporter: Reporter?

  /// Makes `reporter` the one of the whole process.
  public static func setReporter(_ reporter: @escaping Reporter) {
    processReporter.withLock { $0 = reporter }
  }

  /// Runs `operation` with a reporter of its own, on the caller's actor. For tests of what reports.
  public static func withReporter<Result>(
    _ reporter: @escaping Reporter, operation: () throws -> Result
  ) rethrows -> Result {
    try $taskReporter.withValue(reporter, operation: operation)
  }

  /// Runs the asynchronous `operation` with a reporter of its own, on the caller's actor.
  public static func withReporter<Result>(
    isolation: isolated (any Actor)? = #isolation, _ reporter: @escaping Reporter, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await $taskReporter.withValue(reporter, operation: operation)
  }

  /// Tells of an issue at the place of the caller.
  public static func report(
    _ message: @autoclosure () -> String, severity: ReportedIssue.Severity = .error,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    report(ReportedIssue(message(), severity: severity, at: location))
  }

  /// Tells of `issue`.
  public static func report(_ issue: ReportedIssue) {
    let reporter = taskReporter ?? processReporter.withLock { $0 }
    reporter(issue)
  }
}
