public import Model

/// A contact as this device shows it: the server's state with what is queued laid on top.
public struct SavedContact: Hashable, Sendable, Identifiable {
  /// Who it is, and how they are reached.
  public var contact: Contact
  /// The server has not heard of the last change yet.
  public var isPending: Bool
  /// Those of its channels through which the contact answered a drill, without those that failed since.
  public var testedChannels: [Channel]
  /// Those of its channels over which a message failed for good, and none got through since.
  public var failedChannels: [Channel]

  /// The contact's id.
  public var id: ContactID { contact.id }

  /// A contact, and whether its last change waits to be sent.
  public init(
    contact: Contact, isPending: Bool, testedChannels: [Channel] = [], failedChannels: [Channel] = []
  ) {
    self.testedChannels = testedChannels
    self.failedChannels = failedChannels
    self.contact = contact
    self.isPending = isPending
  }
}
