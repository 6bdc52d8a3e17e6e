/// How far one message to one responder by one channel got, as the server knows it.
public struct Receipt: Hashable, Sendable, Identifiable {
  /// One for each responder, channel and message.
  public let id: ReceiptID
  /// The alert that the message is about.
  public let alertID: AlertID
  /// Whom it is for.
  public let contactID: ContactID
  /// The contact's name when the message was queued; the contact may be gone since.
  public let contactName: String
  /// Which message: "help" or "safe now".
  public let notice: Notice
  /// The channel's kind; its URL stays on the server and in the contact.
  public let channel: Channel.Kind
  /// The rung that it reached.
  public let state: DeliveryState
  /// When it reached `state`, by the server's clock.
  public let at: Timestamp
  /// Why it failed, or what keeps it queued: one line for a person.
  public let reason: String?
  /// The server's word for a state that this version does not know. `state` is then the least that it can mean; a state that was
  /// known before stands over it.
  package var unknownState: String?

  /// A receipt as the server wrote it.
  public init(
    id: ReceiptID, alertID: AlertID, contactID: ContactID, contactName: String, notice: Notice, channel: Channel.Kind,
    state: DeliveryState, at: Timestamp, reason: String?
  ) {
    self.id = id
    self.alertID = alertID
    self.contactID = contactID
    self.contactName = contactName
    self.notice = notice
    self.channel = channel
    self.state = state
    self.at = at
    self.reason = reason
  }
}

/// The rungs of the delivery ladder for one responder. A later one is never shown early.
public enum DeliveryState: String, Hashable, Sendable, CaseIterable, Codable {
  /// The server will send it, and tries until it can.
  case queued
  /// A provider took it: HTTP 2xx, SMTP 250.
  case sent
  /// The responder opened the page.
  case seen
  /// A person said "I am responding".
  case acknowledged
  /// It cannot be sent, for a reason that trying again will not change.
  case failed
}

/// How far an alert itself got.
public enum DeliveryStage: String, Hashable, Sendable, Codable {
  /// Durable on this device.
  case saved
  /// The server stored it and said so.
  case accepted
}
