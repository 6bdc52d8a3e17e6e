/// Collects text that a terminal marks as pasted, so that a space in it is not a press of the alert key.
///
/// If the end mark is lost, the paste ends when nothing comes for a moment, and always after a few seconds: the alert key must not
/// stay dead. It reads no clock: times are monotonic milliseconds that the caller gives.
package struct PasteCollector: Hashable, Sendable {
  static let pauseMilliseconds: Int64 = 300
  static let longestMilliseconds: Int64 = 5000
  /// No field takes more; the rest is dropped.
  static let characterLimit = 200

  private var text: String?
  private var beganAt: Int64 = 0
  private var lastAt: Int64 = 0

  package init() {}

  /// The keys that `key` at `now` amounts to: itself, nothing yet, or the whole pasted text.
  package mutating func keys(_ key: Key, at now: Int64) -> [Key] {
    let isOver = now - lastAt >= Self.pauseMilliseconds || now - beganAt >= Self.longestMilliseconds
    let before = isOver ? finish() : []
    lastAt = now
    switch key {
    case .pasteBegan:
      let unfinished = finish()
      (text, beganAt) = ("", now)
      return before + unfinished
    case .pasteEnded:
      return before + finish()
    default:
      guard let text else { return before + [key] }
      if case .character(let character) = key, text.count < Self.characterLimit { self.text = text + String(character) }
      return []
    }
  }

  private mutating func finish() -> [Key] {
    defer { text = nil }
    return text.map { [.pasted($0)] } ?? []
  }
}
