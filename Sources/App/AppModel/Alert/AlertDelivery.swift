public import FoundationEssentials
public import Model

/// How far one alert got: saved here, accepted by the server, then the message to each responder by each channel.
public struct AlertDelivery: Hashable, Sendable {
  /// How far the message to one responder by one channel got.
  public typealias Responder = ResponderDelivery

  /// When it was saved: the alert's start time.
  public var savedAt: Date
  /// False if this device could not save it and sent it from memory; whether the server has it is then unknown here.
  public var isSaved: Bool
  /// When help was called for: `savedAt`, or the newest further press that the server has.
  public var calledAt: Date
  /// When the server stored that call, by the server's clock; nil while it does not have every call that was made here.
  public var acceptedAt: Date?
  /// Whether the server received it so long after `calledAt` that people are shown both times.
  public var isLate: Bool
  /// What became of "help", one for each responder and channel. If several alerts are active, the best of them all: whoever answered one
  /// of them comes.
  public var responders: [ResponderDelivery]
  /// What became of "safe now", one for each responder and channel.
  public var safeNotices: [ResponderDelivery]
  /// Why it reaches nobody: one line for a person, without a full stop; nil if it may reach somebody. Of a drill too: it must not look
  /// like a real alert, see `AlertSnapshot.isDrill`.
  public var nobodyIsTold: String?
  /// Whether the app may tell responders who use LifeSignal themselves all the same, where `nobodyIsTold` says why nothing else does.
  public var mayBeToldByApp = false

  /// The names of the responders who say that they come, each once, in the order of `responders`.
  public var respondingNames: [String] {
    var names: [String] = []
    for delivery in responders where delivery.state == .acknowledged && !names.contains(delivery.name) {
      names.append(delivery.name)
    }
    return names
  }

  /// A delivery; with only the first argument, that of an alert which only this device knows.
  public init(
    savedAt: Date, calledAt: Date? = nil, acceptedAt: Date? = nil, isLate: Bool = false,
    responders: [ResponderDelivery] = [],
    safeNotices: [ResponderDelivery] = [], nobodyIsTold: String? = nil, isSaved: Bool = true
  ) {
    self.isSaved = isSaved
    self.nobodyIsTold = nobodyIsTold
    self.savedAt = savedAt
    self.calledAt = calledAt ?? savedAt
    self.acceptedAt = acceptedAt
    self.isLate = isLate
    self.responders = responders
    self.safeNotices = safeNotices
  }
}

/// How far one message to one responder by one channel got.
public struct ResponderDelivery: Hashable, Sendable, Identifiable {
  /// A rung of the ladder of one message.
  public typealias State = DeliveryState

  /// The receipt's id.
  public let id: ReceiptID
  /// The responder's name when the message was queued.
  public var name: String
  /// The kind of channel, as in `webhook`, `ntfy`, `mail`, `sms`; `none` for a contact without one.
  public var channel: String
  /// The state that it reached.
  public var state: DeliveryState
  /// When it was, by the server's clock.
  public var at: Date
  /// Why it failed, or what keeps it queued: one line for a person.
  public var reason: String?

  /// A message's receipt.
  public init(
    id: ReceiptID, name: String, channel: String, state: DeliveryState, at: Date, reason: String? = nil
  ) {
    self.id = id
    self.name = name
    self.channel = channel
    self.state = state
    self.at = at
    self.reason = reason
  }
}
