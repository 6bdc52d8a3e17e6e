import Dependencies
import Testing
import XCTest

/// Fails the test at `location`.
func fail(_ message: String, at location: CodeLocation) {
  record(ReportedIssue(message, at: location))
}

/// Makes whatever reports an issue in this process fail the test that it happens in.
func installTestIssueReporter() {
  IssueReporting.setReporter { record($0) }
}

/// An issue of Swift Testing, and a failure of the XCTest that runs, if one does. A warning fails no test.
private func record(_ issue: ReportedIssue) {
  // XCTest does not hear of an issue of Swift Testing: a test that must fail would pass.
  if Test.current == nil, issue.severity == .error {
    XCTFail("\(issue.location.fileID):\(issue.location.line): \(issue.message)")
  }
  let location = SourceLocation(
    fileID: issue.location.fileID, filePath: issue.location.filePath, line: issue.location.line,
    column: issue.location.column)
  let severity: Issue.Severity = issue.severity == .error ? .error : .warning
  Issue.record(Comment(rawValue: issue.message), severity: severity, sourceLocation: location)
}

/// Tells something at `location` without failing the test.
func warn(_ message: String, at location: CodeLocation) {
  record(ReportedIssue(message, severity: .warning, at: location))
}
