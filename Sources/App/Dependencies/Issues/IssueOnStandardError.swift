import Glibc

/// The default reporter: writes one line to standard error in a debug build, and nothing in a release build.
@Sendable
func writeInDebugBuilds(_ issue: ReportedIssue) {
  #if DEBUG
    let line = standardErrorLine(issue)
    line.withCString { _ = write(STDERR_FILENO, $0, strlen($0)) }
  #endif
}

/// Formats the issue as one line: `file:line: error: message`.
func standardErrorLine(_ issue: ReportedIssue) -> String {
  let message = issue.message.split(separator: "\n", omittingEmptySubsequences: true).joined(separator: " ")
  let severity = issue.severity == .error ? "error" : "warning"
  return "\(issue.location.fileID):\(issue.location.line): \(severity): \(message)\n"
}
