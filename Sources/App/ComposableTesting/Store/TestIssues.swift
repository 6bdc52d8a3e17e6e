import Dependencies
import Testing
import XCTest

/// Fails the test at `location`.
func fail(_ message: String, at location: CodeLocation) {
  record(ReportedIssue(message, at: location))
}

/// Makes every issue that is reported in this process fail the test in which it happens.
func installTestIssueReporter() {
  IssueReporting.setReporter { record($0) }
}

/// Records an issue of Swift Testing and, in an XCTest, a failure. A warning fails no test.
private func record(_ issue: ReportedIssue) {
  // XCTest ignores issues of Swift Testing: without this, a failing XCTest would pass.
  if Test.current == nil, issue.severity == .error {
    XCTFail("\(issue.location.fileID):\(issue.location.line): \(issue.message)")
  }
  let location = SourceLocation(
    fileID: issue.location.fileID, filePath: issue.location.filePath ?? issue.location.fileID,
    line: issue.location.line, column: issue.location.column)
  let severity: Issue.Severity = issue.severity == .error ? .error : .warning
  Issue.record(Comment(rawValue: issue.message), severity: severity, sourceLocation: location)
}

/// Reports a warning at `location`; it does not fail the test.
func warn(_ message: String, at location: CodeLocation) {
  record(ReportedIssue(message, severity: .warning, at: location))
}
