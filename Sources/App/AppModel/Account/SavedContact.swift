public import Model

/// A contact as this device shows it: the server's state with what is queued laid on top.
public struct SavedContact: Hashable, Sendable, Identifiable {
  /// Who it is, and how they are reached.
  public var contact: Contact
  /// The server has not heard of the last change yet.
  public var isPending: Bool

  /// The contact's id.
  public var id: ContactID { contact.id }

  /// A contact, and whether its last change waits to be sent.
  public init(contact: Contact, isPending: Bool) {
    self.contact = contact
    self.isPending = isPending
  }
}
