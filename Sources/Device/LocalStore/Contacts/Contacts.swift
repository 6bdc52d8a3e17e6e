package import Model
import SQLiteKit
import Wire

extension LocalStore {
  /// Adds a contact (`id` nil) or replaces the details of one, and queues that. Throws `notFound`.
  package func putContact(
    _ id: ContactID?, _ details: ContactDetails, at moment: Moment
  ) throws(LocalStoreError) -> Contact {
    let identifiers = identifiers(at: moment)
    let contact = Contact(id: id ?? identifiers.next(), details: details)
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(contact.id), occurredAt: moment.wall, change: .putContact(details))
    return try writeAndPoke { connection in
      if let id { try connection.requireContact(id) }
      _ = try connection.queue(mutation, at: moment)
      try connection.showContact(contact)
      return contact
    }
  }

  /// Removes a contact, queues that, and gives what it was. Throws `notFound`.
  package func removeContact(_ id: ContactID, at moment: Moment) throws(LocalStoreError) -> Contact {
    let mutation = Mutation(
      id: identifiers(at: moment).next(), entityID: EntityID(id), occurredAt: moment.wall, change: .removeContact)
    return try writeAndPoke { connection in
      let contact = try connection.requireContact(id)
      _ = try connection.queue(mutation, at: moment)
      try connection.hideContact(id)
      return contact
    }
  }

  /// By name.
  package func contacts() throws(LocalStoreError) -> [StoredContact] {
    try file.read { connection in
      try connection.statement(
        """
        SELECT id, name, phone, is_responder, is_dependent, channels, webhook_secret,
          EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = contacts.id AND lane = 'routine')
        FROM contacts WHERE is_removed = 0 ORDER BY name COLLATE NOCASE, id
        """
      ).all { row in
        StoredContact(
          contact: try row.contact(), webhookSecret: row.optionalText(6), isPending: row.boolean(7))
      }
    }
  }
}

// The local view of contacts. Each function is called inside a write transaction.
extension Connection {
  @discardableResult
  fileprivate func requireContact(_ id: ContactID) throws -> Contact {
    let contact = try statement(
      """
      SELECT id, name, phone, is_responder, is_dependent, channels FROM contacts WHERE id = ? AND is_removed = 0
      """
    ).first(SQLiteValue(id)) { try $0.contact() }
    guard let contact else { throw LocalStoreError(.notFound, "there is no contact with this id") }
    return contact
  }

  /// Sets what the person sees of a contact. What the server holds is not touched.
  func showContact(_ contact: Contact) throws {
    let details = contact.details
    try statement(
      """
      INSERT INTO contacts (id, account_id, name, phone, is_responder, is_dependent, channels, is_removed)
      VALUES (?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?, ?, ?, 0)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, phone = excluded.phone, is_responder = excluded.is_responder,
        is_dependent = excluded.is_dependent, channels = excluded.channels, is_removed = 0
      """
    ).run(
      SQLiteValue(contact.id), .text(details.name), .text(details.phone), SQLiteValue(details.isResponder),
      SQLiteValue(details.isDependent), SQLiteValue(details.channels)
    )
  }

  func hideContact(_ id: ContactID) throws {
    try statement("UPDATE contacts SET is_removed = 1 WHERE id = ?").run(SQLiteValue(id))
  }

  /// Sets what the server holds of a contact: the body of a put, nil for none.
  func setServerState(_ body: String?, naming: String, of id: EntityID) throws {
    try statement("UPDATE contacts SET server_state = ?, server_epoch = ? WHERE id = ?")
      .run(SQLiteValue(body), .text(naming), SQLiteValue(id))
  }

  /// Whether the server ever said what it holds of the contact, or that it holds nothing.
  func wasEverNamed(_ id: ContactID) throws -> Bool {
    try statement("SELECT 1 FROM contacts WHERE id = ? AND server_epoch IS NOT NULL")
      .first(SQLiteValue(id)) { _ in true } ?? false
  }

  /// Shows a contact as the server holds it, with what is queued laid on top; forgets one that neither has.
  ///
  /// Each put replaces all details, so the last one counts. A refused removal is not laid on: the contact is still there.
  func relayContact(_ id: ContactID) throws {
    let queued: (Mutation.Kind, String)? = try statement(
      """
      SELECT kind, body FROM pending_mutations
      WHERE entity_id = ? AND lane = 'routine' AND (kind = 'contact.put' OR parked_at IS NULL)
        AND parked_code IS NOT 'unreadable'
      ORDER BY sequence DESC LIMIT 1
      """
    ).first(SQLiteValue(id)) { (try $0.enumeration(0), $0.text(1)) }
    switch queued {
    case (.removeContact, _)?: try hideContact(id)
    case (_, let body)?: try showContact(Contact(id: id, details: ContactDetails(storedBody: body)))
    case nil: try relayServerState(of: id)
    }
  }

  private func relayServerState(of id: ContactID) throws {
    let row = try statement("SELECT server_state, server_epoch FROM contacts WHERE id = ?")
      .first(SQLiteValue(id)) { (state: $0.optionalText(0), epoch: $0.optionalText(1)) }
    guard let row else { return }
    if let state = row.state {
      try showContact(Contact(id: id, details: ContactDetails(storedBody: state)))
    } else if row.epoch != nil {
      try hideContact(id)
    } else {
      try statement("DELETE FROM contacts WHERE id = ?").run(SQLiteValue(id))
    }
  }
}
