import Glibc
import SystemKit
import Wire

/// Where a command speaks: results to standard output, everything else to standard error.
///
/// Writing fails silently where the reader is gone (`| head`): that the alert is saved does not hang on who reads it. Any
/// other failed write is remembered in `outputError`.
final class Console: Sendable {
  let isJSON: Bool
  /// Results for a person are left out.
  let isQuiet: Bool
  /// An error is shown with its code.
  let isVerbose: Bool
  let isInputTerminal: Bool
  let isOutputTerminal: Bool
  private let hasColor: Bool
  private let firstError = Lock<Int32>(0)

  init(
    isJSON: Bool, isQuiet: Bool = false, isVerbose: Bool = false, noColor: Bool, environment: Environment
  ) {
    self.isJSON = isJSON
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
    isInputTerminal = Descriptor.isTerminal(Descriptor.input)
    isOutputTerminal = Descriptor.isTerminal(Descriptor.output)
    hasColor = isOutputTerminal && !noColor && !environment.refusesColor
  }

  /// The `errno` of the first write to standard output that failed, but for a reader that is gone; 0 where none did, or where
  /// a write is under way that does not end.
  var outputError: Int32 { firstError.withLockIfAvailable { $0 } ?? 0 }

  /// Whether a person is at both ends, to be asked something.
  var isInteractive: Bool { isInputTerminal && isOutputTerminal }

  /// A line for a person; nothing with `--json` or `--quiet`.
  func say(_ line: String) {
    if !isJSON, !isQuiet { write(line + "\n") }
  }

  /// A line for a person that is not a result: to standard error, with `--json` as `{"note":…}`.
  func note(_ line: String) {
    guard isJSON else { return writeError(line) }
    var json = JSONWriter()
    json.object { $0.member("note", line) }
    writeError(json.text)
  }

  /// Text of a dialogue with a person: on the terminal that is standard output, or on standard error where that is kept
  /// for JSON.
  func prompt(_ text: String) {
    _ = Descriptor.write(Array(text.utf8), to: isJSON ? Descriptor.error : Descriptor.output)
  }

  /// One JSON object on a line of its own; nothing without `--json`.
  func json(_ members: (inout JSONWriter) -> Void) {
    if isJSON { jsonLine(members) }
  }

  /// One JSON object on a line of its own, whatever the options.
  func jsonLine(_ members: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    json.object(members)
    write(json.bytes.printableJSON + [UInt8(ascii: "\n")])
  }

  /// `{"error":{"code":…,"message":…}}` on standard error.
  func jsonError(code: String, message: String) {
    var json = JSONWriter()
    json.object {
      $0.key("error")
      $0.object {
        $0.member("code", code)
        $0.member("message", message)
      }
    }
    writeError(String(decoding: json.bytes.printableJSON, as: UTF8.self))
  }

  /// Text as it is, without a line's end.
  func write(_ text: String) { write(Array(text.utf8)) }

  /// `text` in a style, where the terminal shows it.
  func styled(_ style: Style, _ text: String) -> String {
    hasColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  private func writeError(_ line: String) {
    _ = Descriptor.write(Array((line + "\n").utf8), to: Descriptor.error)
  }

  private func write(_ bytes: [UInt8]) {
    firstError.withLock { firstError in
      guard firstError == 0 else { return }
      let error = Descriptor.write(bytes, to: Descriptor.output)
      if error != EPIPE { firstError = error }
    }
  }
}

/// How a word stands out: the parameters of "select graphic rendition" (ECMA-48 §8.3.117).
enum Style: String {
  case strong = "1"
  case faint = "2"
  case good = "1;32"
  case warning = "1;33"
  case bad = "1;31"
}
