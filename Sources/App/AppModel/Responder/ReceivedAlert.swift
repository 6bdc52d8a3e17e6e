public import FoundationEssentials
public import Model

/// An alert of somebody who named this account's person as a responder, as this device knows it.
public struct ReceivedAlert: Hashable, Sendable, Identifiable {
  /// Unique within the inbox.
  public let id: InboxID
  /// What the person who raised it calls themselves; nil if they never said.
  public var name: String?
  /// Their telephone number, in E.164.
  public var phone: String
  /// When it was raised.
  public var startTime: Date
  /// When it ended; nil while it is active.
  public var endTime: Date?
  /// A drill: nobody is in danger.
  public var isDrill: Bool
  /// The newest message; nil if there is none.
  public var message: String?
  /// What they said before, newest first.
  public var earlierMessages: [EarlierMessage]
  /// There are others between the last two of these; their page has more.
  public var hasMoreMessages: Bool
  /// Where they were last; nil if they never told.
  public var place: Place?
  /// The battery of their device, 0…100; nil if unknown.
  public var batteryPercent: Int?
  /// When the server last heard from their device, where that was over 90 seconds before it told this device so; nil otherwise.
  public var noContactSince: Date?
  /// How often its responders were asked again since nobody came.
  public var askedAgain: Int
  /// The names of others who said that they come.
  public var comers: [String]
  /// The newest answer given, here or elsewhere; nil if there is none.
  public var answer: Answer?
  /// The answer was given here, and the server does not have it yet.
  public var isAnswerWaiting: Bool
  /// Why the server refused the newest answer: one line for a person; nil if it did not.
  public var refusal: String?
  /// The person said long ago that they come, and is asked whether they still do.
  public var isAskedToConfirm: Bool
  /// The person's own page about it, with all that is known; nil if the server shows none.
  public var pageURL: String?

  /// A received alert; with only the first arguments, an active one of which nothing else is known.
  public init(
    id: InboxID, name: String? = nil, phone: String, startTime: Date, endTime: Date? = nil, isDrill: Bool = false,
    message: String? = nil, earlierMessages: [EarlierMessage] = [], hasMoreMessages: Bool = false,
    place: Place? = nil, batteryPercent: Int? = nil, noContactSince: Date? = nil, askedAgain: Int = 0,
    comers: [String] = [], answer: Answer? = nil, isAnswerWaiting: Bool = false, refusal: String? = nil,
    isAskedToConfirm: Bool = false, pageURL: String? = nil
  ) {
    self.id = id
    self.name = name
    self.phone = phone
    self.startTime = startTime
    self.endTime = endTime
    self.isDrill = isDrill
    self.message = message
    self.earlierMessages = earlierMessages
    self.hasMoreMessages = hasMoreMessages
    self.place = place
    self.batteryPercent = batteryPercent
    self.noContactSince = noContactSince
    self.askedAgain = askedAgain
    self.comers = comers
    self.answer = answer
    self.isAnswerWaiting = isAnswerWaiting
    self.refusal = refusal
    self.isAskedToConfirm = isAskedToConfirm
    self.pageURL = pageURL
  }

  /// Whether it has not ended.
  public var isActive: Bool { endTime == nil }
  /// The name, or else the number.
  public var person: String { name ?? phone }
}

extension ReceivedAlert {
  /// Where a person was.
  public struct Place: Hashable, Sendable {
    /// The point on Earth.
    public var location: Location
    /// The radius around it, in meters; nil if unknown.
    public var accuracyMeters: Double?
    /// When it was found.
    public var time: Date

    /// A place.
    public init(location: Location, accuracyMeters: Double? = nil, time: Date) {
      self.location = location
      self.accuracyMeters = accuracyMeters
      self.time = time
    }
  }

  /// What a person said before their newest message.
  public struct EarlierMessage: Hashable, Sendable {
    /// Their words.
    public var text: String
    /// When they said it.
    public var time: Date

    /// An earlier message.
    public init(_ text: String, time: Date) {
      self.text = text
      self.time = time
    }
  }

  /// What the responder said.
  public struct Answer: Hashable, Sendable {
    /// What they do.
    public typealias Kind = ResponderAnswer

    /// What they do.
    public var kind: Kind
    /// The line beside it; nil if there is none.
    public var text: String?
    /// When the server took it; nil while it has not.
    public var time: Date?

    /// An answer.
    public init(_ kind: Kind, text: String? = nil, time: Date? = nil) {
      self.kind = kind
      self.text = text
      self.time = time
    }
  }
}
