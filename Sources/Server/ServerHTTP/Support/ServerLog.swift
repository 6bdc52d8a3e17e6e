import Glibc
package import Model
import Wire

/// The server's log: a line for each notable event, with its time and its level.
///
/// Never a token, a code (except those of `--sms console`), a telephone number, a name, a place or a body. Ids lead from one line to the
/// next: a request's to its answer, an alert's from its arrival over each attempt to deliver it to the responder who comes.
package struct ServerLog: Sendable {
  /// How much an operator has to hear of it (RFC 5424 §6.2.1).
  package enum Level: Int, Sendable, CaseIterable, Comparable {
    /// Something does not work until somebody does something.
    case error = 3
    /// Something does not work now, and is tried again.
    case warning = 4
    /// Something that an operator did, or a message that was refused.
    case notice = 5
    /// An alert, a message or an answer on its way.
    case info = 6

    package var name: String { "\(self)" }

    package static func < (lesser: Self, greater: Self) -> Bool { lesser.rawValue < greater.rawValue }
  }

  package enum Form: String, Sendable, CaseIterable {
    /// `2026-11-27T12:00:00.000Z warning: deliveries stand still: … delivery=…`
    case plain
    /// `{"time":"2026-11-27T12:00:00.000Z","level":"warning","message":"…","delivery":"…"}`
    case json
    /// `<4>deliveries stand still: …`, for systemd's journal, which adds the time (sd-daemon(3)).
    case journal
  }

  package typealias Fields = KeyValuePairs<String, String>

  private let form: Form
  private let leastUrgent: Level
  private let sink: @Sendable (String) -> Void
  private let now: @Sendable () -> Timestamp

  /// `sink` takes one line without its end, from any thread. Levels below `leastUrgent` are left out.
  package init(
    _ form: Form = .plain, upTo leastUrgent: Level = .info, now: @escaping @Sendable () -> Timestamp,
    sink: @escaping @Sendable (String) -> Void
  ) {
    self.form = form
    self.leastUrgent = leastUrgent
    self.now = now
    self.sink = sink
  }

  /// Writes to standard error.
  package static func standardError(
    _ form: Form, upTo leastUrgent: Level, now: @escaping @Sendable () -> Timestamp
  ) -> Self {
    Self(form, upTo: leastUrgent, now: now) { writeLine($0, to: STDERR_FILENO) }
  }

  /// Writes nothing.
  package static let silent = Self(now: { Timestamp(milliseconds: 0) }) { _ in }

  package func callAsFunction(_ message: String, _ level: Level = .notice, _ fields: Fields = [:]) {
    guard level <= leastUrgent else { return }
    switch form {
    case .plain: sink("\(now()) \(level.name): \(Self.plain(message, fields))")
    case .journal: sink("<\(level.rawValue)>\(Self.plain(message, fields))")
    case .json: sink(json(message, level, fields))
    }
  }

  private static func plain(_ message: String, _ fields: Fields) -> String {
    withoutControls(message) + fields.map { " \($0.key)=\($0.value)" }.joined()
  }

  private static func withoutControls(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    return String(text.unicodeScalars.filter { $0.properties.generalCategory != .control })
  }

  private func json(_ message: String, _ level: Level, _ fields: Fields) -> String {
    var json = JSONWriter()
    json.object { json in
      json.member("time", now().description)
      json.member("level", level.name)
      json.member("message", message)
      for (name, value) in fields { json.member(name, value) }
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }
}

/// Writes `line` and its end with one system call, so that lines of several threads do not mix.
package func writeLine(_ line: String, to descriptor: Int32) {
  var text = line + "\n"
  // There is no place to report that the log cannot be written.
  text.withUTF8 { _ = write(descriptor, $0.baseAddress, $0.count) }
}
