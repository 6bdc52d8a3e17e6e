/// A problem for the programmer: a misuse, or a dependency that a test has not set.
public struct ReportedIssue: Hashable, Sendable {
  /// Whether an issue fails a test.
  public enum Severity: Hashable, Sendable {
    /// Fails the test.
    case error
    /// Does not fail the test.
    case warning
  }

  /// The problem, described for a programmer.
  public var message: String
  /// Whether it fails a test.
  public var severity: Severity
  /// Its location in the source code.
  public var location: CodeLocation

  /// Makes an issue at `location`.
  public init(_ message: String, severity: Severity = .error, at location: CodeLocation) {
    self.message = message
    self.severity = severity
    self.location = location
  }
}
