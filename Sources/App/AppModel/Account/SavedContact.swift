public import Model

/// A contact as this device shows it: the server's state with what is queued laid on top.
public struct SavedContact: Hashable, Sendable, Identifiable {
  /// Who it is, and how they are reached.
  public var contact: Contact
  /// The server has not heard of the last change yet.
  public var isPending: Bool
  /// Those of its channels through which the contact answered a drill.
  public var testedChannels: [Channel]

  /// The contact's id.
  public var id: ContactID { contact.id }

  /// A contact, and whether its last change waits to be sent.
  public init(contact: Contact, isPending: Bool, testedChannels: [Channel] = []) {
    self.testedChannels = testedChannels
    self.contact = contact
    self.isPending = isPending
  }
}
