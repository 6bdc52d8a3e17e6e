import Glibc
package import Model

/// The server's log: a line for each notable event, to a descriptor, with the time.
///
/// Never a token, a code (except those of `--sms console`), a whole telephone number or a body.
package struct ServerLog: Sendable {
  private let sink: @Sendable (String) -> Void
  private let now: @Sendable () -> Timestamp

  /// `sink` takes one line without its end, from any thread.
  package init(now: @escaping @Sendable () -> Timestamp, sink: @escaping @Sendable (String) -> Void) {
    self.now = now
    self.sink = sink
  }

  /// Writes to standard error.
  package static func standardError(now: @escaping @Sendable () -> Timestamp) -> Self {
    Self(now: now) { writeLine($0, to: STDERR_FILENO) }
  }

  /// Writes nothing.
  package static let silent = Self(now: { Timestamp(milliseconds: 0) }) { _ in }

  package func callAsFunction(_ message: String) {
    sink("\(now()) \(message)")
  }
}

/// Writes `line` and its end with one system call, so that lines of several threads do not mix.
package func writeLine(_ line: String, to descriptor: Int32) {
  let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
  // There is no place to report that the log cannot be written.
  _ = write(descriptor, bytes, bytes.count)
}
