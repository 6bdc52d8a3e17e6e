/// The exit status. From 64 on these are those of BSD's sysexits(3).
enum ExitStatus: Int32, Sendable {
  /// Done. For `alert activate`: durable on this disk.
  case done = 0
  /// Stopped at the keyboard before anything was done, or there is nothing to show.
  case stopped = 1
  /// The command line is invalid.
  case usage = 64
  /// A value is invalid; nothing was saved.
  case badData = 65
  /// The server refused it, or `doctor` found a fault.
  case refused = 69
  /// It could not be saved on this device.
  case notSaved = 73
  /// Standard output cannot be written.
  case outputFailed = 74
  /// Saved or queued here; the server cannot be reached now.
  case unreachable = 75
  /// Sign in first.
  case notSignedIn = 77
}

/// Why a command failed.
struct Failure: Error, Sendable {
  let status: ExitStatus
  /// Stable, for `--json`: words in lower case with underscores between them.
  let code: String
  /// For a person: what happened, and what to do. Lines of at most 80 columns; `--json` joins them.
  let message: String

  init(_ status: ExitStatus, _ code: String, _ message: String) {
    self.status = status
    // The wire's codes have hyphens.
    self.code = String(code.map { $0 == "-" ? "_" : $0 })
    self.message = message
  }
}
