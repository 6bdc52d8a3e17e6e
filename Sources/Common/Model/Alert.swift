/// An emergency alert: raised once, ended at most once.
///
/// `startedAt` never changes and `endedAt`, once set, stands (I6).
public struct Alert: Hashable, Sendable, Identifiable {
  /// The same on every device of the account.
  public let id: AlertID
  /// When it was raised, by the clock of the device that raised it.
  public let startedAt: Timestamp
  /// When it was ended, by the clock of the device that ended it; nil while it is active.
  public internal(set) var endedAt: Timestamp?
  /// What the person said, at most `AlertMessage.maximumCharacters`.
  public let message: String?
  /// Where the person was, where they told it.
  public let location: Location?
  /// A drill: told to the responders as one, so that nobody is sent out for it.
  public let isDrill: Bool

  /// An alert, active where it has no end.
  public init(
    id: AlertID, startedAt: Timestamp, endedAt: Timestamp? = nil, message: String? = nil, location: Location? = nil,
    isDrill: Bool = false
  ) {
    self.id = id
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.message = message
    self.location = location
    self.isDrill = isDrill
  }

  /// It has not been ended.
  public var isActive: Bool { endedAt == nil }

  /// Whether the server, by its clock, heard of it so long after it was raised that people are told both times.
  package func isLate(receivedAt: Timestamp) -> Bool {
    receivedAt.milliseconds(since: startedAt) > Self.lateAfterMilliseconds
  }

  private static let lateAfterMilliseconds: Int64 = 60_000

  /// Ends it at `time`, unless it was ended before: the first end stands. Says whether it changed anything.
  @discardableResult
  package mutating func end(at time: Timestamp) -> Bool {
    guard endedAt == nil else { return false }
    endedAt = time
    return true
  }
}

/// The rules for the words that go with an alert.
public enum AlertMessage {
  /// As a person counts them.
  public static let maximumCharacters = 1000

  /// `text` without surrounding white space; nil where nothing is left. Throws where it is longer than the maximum.
  public static func validated(_ text: String?) throws(InvalidInput) -> String? {
    guard let text else { return nil }
    let trimmed = text.trimmingWhitespace()
    guard trimmed.hasAtMost(characters: maximumCharacters) else {
      throw InvalidInput(.message, "the message must be at most \(maximumCharacters) characters")
    }
    guard !trimmed.utf8.contains(0) else {
      throw InvalidInput(.message, "the message must be text, without zero characters")
    }
    return trimmed.isEmpty ? nil : trimmed
  }

  /// As much of `text` as a message can hold: nothing that is wrong with it may keep a call for help back.
  ///
  /// Zero characters are taken out, and what is too long is cut, with "…" as its end. Nil where nothing is left.
  public static func fitting(_ text: String?) -> String? {
    guard let text else { return nil }
    let trimmed = String(text.unicodeScalars.filter { $0.value != 0 }).trimmingWhitespace()
    guard !trimmed.hasAtMost(characters: maximumCharacters) else { return trimmed.isEmpty ? nil : trimmed }
    // A character may have any number of bytes, and the limit holds for both.
    var cut = ""
    var bytes = 0
    for character in trimmed.prefix(maximumCharacters - 1) {
      bytes += character.utf8.count
      guard bytes <= 4 * maximumCharacters - 3 else { break }
      cut.append(character)
    }
    return cut + "…"
  }
}
