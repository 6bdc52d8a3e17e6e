package import Model
import SQLiteKit
import Wire

extension LocalStore {
  /// Adds a contact (`id` nil) or replaces a contact's details, and queues that. Throws `notFound`.
  package func putContact(
    _ id: ContactID?, _ details: ContactDetails, at moment: Moment
  ) throws(LocalStoreError) -> Contact {
    let identifiers = identifiers(at: moment)
    let contact = Contact(id: id ?? identifiers.next(), details: details)
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(contact.id), occurredAt: moment.wall, change: .putContact(details))
    return try writeAndPoke { transaction in
      if let id { try transaction.requireContact(id) }
      try transaction.enqueue(mutation, at: moment)
      try transaction.showContact(contact)
      return contact
    }
  }

  /// Removes a contact, queues that, and gives the removed contact. Throws `notFound`.
  package func removeContact(_ id: ContactID, at moment: Moment) throws(LocalStoreError) -> Contact {
    let mutation = Mutation(
      id: identifiers(at: moment).next(), entityID: EntityID(id), occurredAt: moment.wall, change: .removeContact)
    return try writeAndPoke { transaction in
      let contact = try transaction.requireContact(id)
      try transaction.enqueue(mutation, at: moment)
      try transaction.hideContact(id)
      return contact
    }
  }

  /// All contacts, by name.
  package func contacts() throws(LocalStoreError) -> [StoredContact] {
    try file.read { try $0.contacts() }
  }
}

extension StoredContact {
  /// The columns of `Contact(row:)`, `webhook_secret`, `tested`, `failed`, `server_state` and `is_pending`.
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    let state: String? = try row["server_state"]
    self.init(
      contact: try Contact(row: row), webhookSecret: try row["webhook_secret"], isPending: try row["is_pending"],
      tested: [TestedChannel](lines: try row["tested"]), failed: [FailedChannel](lines: try row["failed"]),
      // What cannot be read counts as unknown to the server.
      onServer: state.flatMap { try? ContactDetails(storedBody: $0) })
  }
}

extension StoreReading {
  /// By name.
  func contacts() throws -> [StoredContact] {
    try rows(
      """
      SELECT id, name, phone, is_responder, is_dependent, channels, tier, webhook_secret, tested, failed,
        server_state,
        EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = contacts.id AND lane = 'routine') AS is_pending
      FROM contacts WHERE is_removed = 0 ORDER BY name COLLATE NOCASE, id
      """, row: StoredContact.init(row:))
  }

  @discardableResult
  func requireContact(_ id: ContactID) throws -> Contact {
    let contact = try row(
      """
      SELECT id, name, phone, is_responder, is_dependent, channels, tier FROM contacts WHERE id = ? AND is_removed = 0
      """, SQLiteValue(id), row: Contact.init(row:))
    guard let contact else { throw LocalStoreError(.notFound, "there is no contact with this id") }
    return contact
  }

  /// Whether the server ever said what it has of the contact, or that it has nothing.
  func wasEverNamed(_ id: ContactID) throws -> Bool {
    try hasRow("SELECT 1 FROM contacts WHERE id = ? AND server_epoch IS NOT NULL", SQLiteValue(id))
  }

  /// Whether a mutation of the contact is queued.
  func hasQueued(_ id: ContactID) throws -> Bool {
    try hasRow("SELECT 1 FROM pending_mutations WHERE entity_id = ? AND lane = 'routine' LIMIT 1", SQLiteValue(id))
  }
}

// The local view of contacts: the server's state, with the queued mutations applied to it.
extension StoreTransaction {
  /// Sets what the person sees of a contact. The server's state stays as it is.
  func showContact(_ contact: Contact) throws {
    let details = contact.details
    try run(
      """
      INSERT INTO contacts (id, account_id, name, phone, is_responder, is_dependent, channels, tier, is_removed)
      VALUES (?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?, ?, ?, ?, 0)
      ON CONFLICT (id) DO UPDATE SET name = excluded.name, phone = excluded.phone, is_responder = excluded.is_responder,
        is_dependent = excluded.is_dependent, channels = excluded.channels, tier = excluded.tier,
        is_removed = 0
      """,
      SQLiteValue(contact.id), .text(details.name), .text(details.phone), SQLiteValue(details.isResponder),
      SQLiteValue(details.isDependent), SQLiteValue(details.channels), .integer(Int64(details.tier)))
  }

  func hideContact(_ id: ContactID) throws {
    try run("UPDATE contacts SET is_removed = 1 WHERE id = ?", SQLiteValue(id))
  }

  /// Sets what the server has of a contact: the body of a put; nil if it has none.
  func setServerState(_ body: String?, naming: String, of id: EntityID) throws {
    try run(
      "UPDATE contacts SET server_state = ?, server_epoch = ? WHERE id = ?", SQLiteValue(body), .text(naming),
      SQLiteValue(id))
  }

  /// Shows a contact as the server has it, with the queued mutations applied; removes a contact that neither has.
  ///
  /// Each put replaces all details, so the last one counts. A rejected removal is not applied: the contact is still there.
  func rebuildContact(_ id: ContactID) throws {
    let queued = try row(
      """
      SELECT kind, body FROM pending_mutations
      WHERE entity_id = ?1 AND lane = 'routine' AND (kind = 'contact.put' OR parked_at IS NULL)
        AND parked_code IS NOT ?2
      ORDER BY sequence DESC LIMIT 1
      """, SQLiteValue(id), .text(RowRepair.code)
    ) { row in (kind: try row.choice("kind", as: Mutation.Kind.self), body: try row["body", as: String.self]) }
    switch queued {
    case (.removeContact, _)?: try hideContact(id)
    case (_, let body)?: try showContact(Contact(id: id, details: ContactDetails(storedBody: body)))
    case nil: try showServerState(of: id)
    }
  }

  private func showServerState(of id: ContactID) throws {
    let contact = try row("SELECT server_state, server_epoch FROM contacts WHERE id = ?", SQLiteValue(id)) { row in
      (state: try row["server_state", as: String?.self], wasNamed: try !row.isNull("server_epoch"))
    }
    guard let contact else { return }
    if let state = contact.state {
      try showContact(Contact(id: id, details: ContactDetails(storedBody: state)))
    } else if contact.wasNamed {
      try hideContact(id)
    } else {
      try run("DELETE FROM contacts WHERE id = ?", SQLiteValue(id))
    }
  }
}
