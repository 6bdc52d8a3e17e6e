/// Something that a programmer should look at: a misuse, or a dependency that a test has not set.
public struct ReportedIssue: Hashable, Sendable {
  /// How bad it is.
  public enum Severity: Hashable, Sendable {
    /// A test with it has failed.
    case error
    /// Worth telling; no test fails of it.
    case warning
  }

  /// What is wrong, in words for a programmer.
  public var message: String
  /// How bad it is.
  public var severity: Severity
  /// Where in the code it was seen.
  public var location: CodeLocation

  /// An issue seen at `location`.
  public init(_ message: String, severity: Severity = .error, at location: CodeLocation) {
    self.message = message
    self.severity = severity
    self.location = location
  }
}
