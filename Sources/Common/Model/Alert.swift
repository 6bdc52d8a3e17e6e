/// An emergency alert: raised once, ended at most once.
///
/// `startedAt` never changes, and `endedAt` never changes once set (I6).
public struct Alert: Hashable, Sendable, Identifiable {
  /// The same on every device of the account.
  public let id: AlertID
  /// When it was raised, by the clock of the device that raised it.
  public let startedAt: Timestamp
  /// When it was ended, by the clock of the device that ended it; nil while it is active.
  public internal(set) var endedAt: Timestamp?
  /// The person's message, at most `AlertMessage.maximumCharacters`.
  public let message: String?
  /// The person's location, if given.
  public let location: Location?
  /// Whether this is a drill. Responders are told so, and nobody is sent out for it.
  public let isDrill: Bool
  /// The only responder who is told of a drill, to test how they are reached; nil: all of them. Nil of a real alert.
  package let onlyContact: ContactID?

  /// Creates an alert, active if it has no end.
  public init(
    id: AlertID, startedAt: Timestamp, endedAt: Timestamp? = nil, message: String? = nil, location: Location? = nil,
    isDrill: Bool = false
  ) {
    self.init(
      id: id, startedAt: startedAt, endedAt: endedAt, message: message, location: location, isDrill: isDrill,
      onlyContact: nil)
  }

  /// The same, perhaps told to one responder alone. A real alert is told to all.
  package init(
    id: AlertID, startedAt: Timestamp, endedAt: Timestamp? = nil, message: String? = nil, location: Location? = nil,
    isDrill: Bool, onlyContact: ContactID?
  ) {
    self.id = id
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.message = message
    self.location = location
    self.isDrill = isDrill
    self.onlyContact = isDrill ? onlyContact : nil
  }

  /// Whether the alert has not ended.
  public var isActive: Bool { endedAt == nil }

  /// Whether the contact is told of it, if they are a responder.
  package func isFor(_ contact: ContactID) -> Bool { onlyContact == nil || onlyContact == contact }

  /// How long a test of one responder may be answered. Then the device ends it, and nothing more is sent for it.
  package static let testMilliseconds: Int64 = 30 * 60_000

  /// Whether the server received it so long after it was raised that people are shown both times.
  package func isLate(receivedAt: Timestamp) -> Bool {
    Self.isLate(calledAt: startedAt, receivedAt: receivedAt)
  }

  /// Whether the server received one of its calls for help so long after that call that people are shown both times.
  package static func isLate(calledAt: Timestamp, receivedAt: Timestamp) -> Bool {
    receivedAt.milliseconds(since: calledAt) > lateAfterMilliseconds
  }

  private static let lateAfterMilliseconds: Int64 = 60_000

  /// Ends the alert at `time` unless it has already ended: the first end stands. Returns whether it changed.
  @discardableResult
  package mutating func end(at time: Timestamp) -> Bool {
    guard endedAt == nil else { return false }
    endedAt = time
    return true
  }
}

/// The rules for an alert's message.
public enum AlertMessage {
  /// The maximum length in characters as a person counts them.
  public static let maximumCharacters = 1000

  /// Trims white space; nil if nothing is left. Throws if the text exceeds the maximum.
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

  /// Fits `text` into a message, because an invalid message must never block a call for help.
  ///
  /// Removes NUL characters and truncates with "…". Nil if nothing is left.
  public static func fitting(_ text: String?) -> String? {
    guard let text else { return nil }
    let trimmed = String(text.unicodeScalars.filter { $0.value != 0 }).trimmingWhitespace()
    guard !trimmed.hasAtMost(characters: maximumCharacters) else { return trimmed.isEmpty ? nil : trimmed }
    // A character can have any number of bytes, and both counts are limited.
    var cut = ""
    var bytes = 0
    for character in trimmed.prefix(maximumCharacters - 1) {
      bytes += character.utf8.count
      guard bytes <= 4 * maximumCharacters - 3 else { break }
      cut.append(character)
    }
    return cut + "…"
  }

  /// What separates the texts of several calls in one message.
  private static let separator = " / "

  /// The texts of two calls in one, the newer one first: whoever has room for less reads that. A text that stands in the newer one already
  /// is not repeated. What exceeds the maximum is cut at the end with "…".
  package static func joined(_ newer: String?, over earlier: String?) -> String? {
    guard let newer, let earlier else { return newer ?? earlier }
    return fitting(unlimited(newer, over: earlier))
  }

  /// Whether `joined` keeps both texts whole.
  package static func joinsWhole(_ newer: String?, over earlier: String?) -> Bool {
    guard let newer, let earlier else { return true }
    return unlimited(newer, over: earlier).hasAtMost(characters: maximumCharacters)
  }

  private static func unlimited(_ newer: String, over earlier: String) -> String {
    let said = newer.split(separator: separator)
    let others = earlier.split(separator: separator).filter { !said.contains($0) }
    return ([newer] + others.map(String.init)).joined(separator: separator)
  }
}
