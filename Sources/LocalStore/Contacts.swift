package import Model

extension LocalStore {
  /// Adds a contact (`id` nil) or replaces the details of one, and queues that. Throws `notFound`.
  package func putContact(
    _ id: ContactID?, _ details: ContactDetails, at moment: Moment
  ) throws(LocalStoreError) -> Contact { fatalError("not yet") }

  /// Removes a contact, queues that, and gives what it was. Throws `notFound`.
  package func removeContact(_ id: ContactID, at moment: Moment) throws(LocalStoreError) -> Contact {
    fatalError("not yet")
  }

  /// By name.
  package func contacts() throws(LocalStoreError) -> [StoredContact] { fatalError("not yet") }
}
