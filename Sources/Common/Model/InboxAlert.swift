/// An alert of a person who named the owner of this account as a responder, as it stands in the owner's inbox.
///
/// The server writes it into the responder's own changes, and anew whenever something of it changes.
public struct InboxAlert: Hashable, Sendable, Identifiable {
  /// The last place that was told.
  public struct Place: Hashable, Sendable {
    /// Where.
    public let location: Location
    /// The accuracy radius, in meters; nil if unknown.
    public let accuracyMeters: Double?
    /// When it was found.
    public let at: Timestamp

    /// A place.
    public init(location: Location, accuracyMeters: Double?, at time: Timestamp) {
      self.location = location
      self.accuracyMeters = accuracyMeters
      at = time
    }
  }

  /// What they said before.
  public struct EarlierMessage: Hashable, Sendable {
    /// Their words.
    public let text: String
    /// When they said it.
    public let at: Timestamp

    /// An earlier message.
    public init(_ text: String, at time: Timestamp) {
      self.text = text
      at = time
    }
  }

  /// What the owner answered.
  public struct Response: Hashable, Sendable {
    /// The answer, and the line beside it.
    public let answer: InboxAnswer
    /// When the server took it, or took its confirmation.
    public let at: Timestamp

    /// An answer that was given.
    public init(_ answer: InboxAnswer, at time: Timestamp) {
      self.answer = answer
      at = time
    }
  }

  /// How many earlier messages of an alert an inbox has.
  public static let earlierMessageLimit = 10

  /// How long an inbox keeps an alert after its end.
  public static let retentionMilliseconds: Int64 = 30 * 24 * 3_600_000

  /// Unique within the inbox. Alerts of two people may share an `alertID`.
  public let id: InboxID
  /// The alert's id in the account of the person who raised it.
  public let alertID: AlertID
  /// Of the person who raised it; E.164.
  public let phone: String
  /// What they call themselves; nil if they never said.
  public let name: String?
  /// When it was raised, by the server's clock where the device's was wrong.
  public let startedAt: Timestamp
  /// When it ended; nil while it is active.
  public let endedAt: Timestamp?
  /// A drill: nobody is in danger.
  public let isDrill: Bool
  /// Their newest message.
  public var message: String?
  /// What they said before, newest first: a later message does not take an earlier one's place.
  public var earlierMessages: [EarlierMessage] = []
  /// There are others between the last two of these; their page has more.
  public var hasMoreMessages = false
  /// Where they were last; nil if they never told.
  public var place: Place?
  /// Of their device, 0…100; nil if unknown.
  public var batteryPercent: Int?
  /// The last contact of the server with their device, where that was more than 90 s ago when the server wrote this; nil otherwise.
  public var noContactSince: Timestamp?
  /// How often its responders were asked again since nobody came.
  public var askedAgain = 0
  /// The names of others who said that they come.
  public var comers: [String] = []
  /// What the owner answered; nil if nothing yet.
  public var response: Response?
  /// They said long ago that they come, and are asked whether they still do.
  public var isAskedToConfirm = false
  /// The owner's page about it, with all that is known; nil where the server shows none.
  public var pageURL: String?

  /// An alert as the server wrote it; the rest is set afterwards.
  public init(
    id: InboxID, alertID: AlertID, phone: String, name: String?, startedAt: Timestamp, endedAt: Timestamp?,
    isDrill: Bool
  ) {
    self.id = id
    self.alertID = alertID
    self.phone = phone
    self.name = name
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.isDrill = isDrill
  }

  /// Whether the person has not ended it.
  public var isActive: Bool { endedAt == nil }
  /// The name, or else the number.
  public var person: String { name ?? phone }
}

/// The body of `inbox.answer`: what a responder says of an alert in their inbox.
public struct InboxAnswer: Hashable, Sendable {
  /// The maximum length of `text`, in characters. Longer ones are cut.
  public static let maximumCharacters = 200

  /// What they say.
  public let answer: ResponderAnswer
  /// A line for the person in danger; nil for none.
  public let text: String?

  /// Text of several lines becomes one, and what is too long is cut: an answer is never refused for it.
  public init(_ answer: ResponderAnswer, text: String? = nil) {
    self.answer = answer
    let words = text?.unicodeScalars.split { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
    let line = words?.map { String($0) }.joined(separator: " ").prefix(Self.maximumCharacters)
    self.text = line.flatMap { $0.isEmpty ? nil : String($0) }
  }
}
