import SystemKit

/// Reports misuse and unset dependencies.
///
/// A debug build writes an issue to standard error; a release build ignores it. In a test that uses
/// `ComposableTesting`'s `TestStore` it fails the test.
public enum IssueReporting {
  /// Handles an issue. It may be called on any thread.
  public typealias Reporter = @Sendable (ReportedIssue) -> Void

  private static let processReporter = Lock<Reporter>(writeInDebugBuilds)

  /// Replaces the process's reporter in this task and its child tasks.
  @TaskLocal private static var taskReporter: Reporter?

  /// Sets the reporter of the whole process.
  public static func setReporter(_ reporter: @escaping Reporter) {
    processReporter.withLock { $0 = reporter }
  }

  /// Runs `operation` with its own reporter, on the caller's actor. It is for tests of code that reports issues.
  public static func withReporter<Result>(
    _ reporter: @escaping Reporter, operation: () throws -> Result
  ) rethrows -> Result {
    try $taskReporter.withValue(reporter, operation: operation)
  }

  /// Runs the asynchronous `operation` with its own reporter, on the caller's actor.
  public static func withReporter<Result>(
    isolation: isolated (any Actor)? = #isolation, _ reporter: @escaping Reporter, operation: () async throws -> Result
  ) async rethrows -> Result {
    try await $taskReporter.withValue(reporter, operation: operation)
  }

  /// Reports an issue at the caller's location. Only a test passes `filePath`: a default would put the path into every program.
  public static func report(
    _ message: @autoclosure () -> String, severity: ReportedIssue.Severity = .error,
    fileID: StaticString = #fileID, filePath: StaticString? = nil, line: UInt = #line, column: UInt = #column
  ) {
    let location = CodeLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    report(ReportedIssue(message(), severity: severity, at: location))
  }

  /// Reports `issue`.
  public static func report(_ issue: ReportedIssue) {
    let reporter = taskReporter ?? processReporter.withLock { $0 }
    reporter(issue)
  }
}
