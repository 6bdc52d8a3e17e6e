import Glibc
import SystemKit
import Wire

/// The output of a command: results to standard output, everything else to standard error.
///
/// Writing fails silently if the reader is gone (`| head`), because an alert is saved even if nobody reads so. Any other failed
/// write is remembered in `outputError`.
final class Console: Sendable {
  let isJSON: Bool
  /// Whether results for a person are omitted.
  let isQuiet: Bool
  /// Whether errors are shown with their code.
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

  /// The `errno` of the first failed write to standard output, except if the reader is gone; 0 if none failed, or while a write
  /// is blocked.
  var outputError: Int32 { firstError.withLockIfAvailable { $0 } ?? 0 }

  /// Whether a person is at both ends and can be asked.
  var isInteractive: Bool { isInputTerminal && isOutputTerminal }

  /// Writes lines for a person; nothing with `--json` or `--quiet`.
  func say(_ line: String) {
    if !isJSON, !isQuiet { write(line + "\n") }
  }

  /// Writes lines for a person that are not a result to standard error; with `--json` as `{"note":…}`.
  func note(_ line: String) {
    guard isJSON else { return writeError(line) }
    var json = JSONWriter()
    json.object { $0.member("note", Self.oneLine(line)) }
    writeError(json.text)
  }

  /// Writes text of a dialog with a person: to standard output, or to standard error if standard output is for JSON.
  func prompt(_ text: String) {
    _ = Descriptor.write(Array(text.utf8), to: isJSON ? Descriptor.error : Descriptor.output)
  }

  /// Writes one JSON object on a line; nothing without `--json`.
  func json(_ members: (inout JSONWriter) -> Void) {
    if isJSON { jsonLine(members) }
  }

  /// Writes one JSON object on a line, whatever the options.
  func jsonLine(_ members: (inout JSONWriter) -> Void) {
    var json = JSONWriter()
    json.object(members)
    write(json.bytes.printableJSON + [UInt8(ascii: "\n")])
  }

  /// Writes `{"error":{"code":…,"message":…}}` to standard error.
  func jsonError(code: String, message: String) {
    var json = JSONWriter()
    json.object {
      $0.key("error")
      $0.object {
        $0.member("code", code)
        $0.member("message", Self.oneLine(message))
      }
    }
    writeError(String(decoding: json.bytes.printableJSON, as: UTF8.self))
  }

  /// Writes `text` as it is, without a newline.
  func write(_ text: String) { write(Array(text.utf8)) }

  /// `text` in a style, if the terminal has colors.
  func styled(_ style: Style, _ text: String) -> String {
    hasColor ? "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m" : text
  }

  /// In JSON a message is one line.
  private static func oneLine(_ text: String) -> String {
    String(text.map { $0 == "\n" ? " " : $0 })
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
