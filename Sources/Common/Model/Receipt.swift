/// The server's delivery status of one message to one responder by one channel.
public struct Receipt: Hashable, Sendable, Identifiable {
  /// Unique for each responder, channel and message.
  public let id: ReceiptID
  /// The alert that the message is about.
  public let alertID: AlertID
  /// The responder.
  public let contactID: ContactID
  /// The contact's name when the message was queued; the contact may have been removed since.
  public let contactName: String
  /// Which message: "help" or "safe now".
  public let notice: Notice
  /// The channel's kind; its URL stays on the server and in the contact.
  public let channel: Channel.Kind
  /// The delivery state that it reached.
  public let state: DeliveryState
  /// When it reached `state`, by the server's clock.
  public let at: Timestamp
  /// Why it failed or is still queued, or what the responder said: one line for a person.
  public let reason: String?
  /// The server's name of a state that this version does not know. `state` is then the lowest state that it can mean, and a
  /// state known before takes precedence.
  package var unknownState: String?

  /// Why a message says nothing of its contact as they are now.
  package static let numberChangedReason = "the contact's number was changed"

  /// Whether it reached the person with the contact's earlier number.
  package var isOfEarlierNumber: Bool { state != .queued && state != .failed && reason == Self.numberChangedReason }

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

/// The delivery states for one responder, in order. A later state is never shown early.
public enum DeliveryState: String, Hashable, Sendable, CaseIterable, Codable {
  /// The server will send it, and retries until it can.
  case queued
  /// A provider accepted it: HTTP 2xx, SMTP 250.
  case sent
  /// A person touched the page, or opened the alert in their inbox. With a reason: they do not come, or have not confirmed that they still do.
  case seen
  /// A person said "I am responding".
  case acknowledged
  /// It cannot be sent, for a permanent reason.
  case failed
}

/// The delivery stage of an alert itself.
public enum DeliveryStage: String, Hashable, Sendable, Codable {
  /// Durable on this device.
  case saved
  /// The server stored it and confirmed.
  case accepted
}
