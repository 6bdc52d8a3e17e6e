import Model
import SQLiteKit
import Wire

// Updates of an alert: the pending one, the newest that the server has, and how they hold back or take back an end.

extension StoreReading {
  /// What the queued updates of the alert say together, with the id of the newest; nil if there is none that can be read.
  func pendingUpdate(of id: AlertID) throws -> NewestUpdate? {
    try readableRows(
      """
      SELECT id, body FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' ORDER BY sequence
      """, SQLiteValue(id)
    ) { row in NewestUpdate(id: try row["id"], update: try AlertUpdate(storedBody: row["body"])) }
    .reduce(nil) { earlier, next in NewestUpdate(id: next.id, update: next.update.over(earlier?.update)) }
  }

  /// What the newest updates of the alert say together, sent or not.
  func newestUpdate(of id: AlertID) throws -> AlertUpdate? {
    let known = try knownUpdate(of: id)?.update
    return try pendingUpdate(of: id)?.update.over(known) ?? known
  }

  /// Whether an update of any alert is queued.
  func hasPendingUpdate() throws -> Bool {
    // Every id is greater: the index finds the first row.
    try hasRow(
      """
      SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id > '' AND kind = 'alert.update' LIMIT 1
      """)
  }

  func hasPendingUpdate(of id: AlertID) throws -> Bool {
    try hasRow(
      """
      SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' LIMIT 1
      """, SQLiteValue(id))
  }

  /// Whether a further call for help is queued. A place alone holds back nothing.
  func hasPendingCall(of id: AlertID) throws -> Bool {
    try hasRow(
      """
      SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' AND instr(body, ?) = 0 LIMIT 1
      """, SQLiteValue(id), .text(MutationBody.noCall))
  }

  /// The newest update that the server is known to have. Its own id is in the body if `update_id` names another one: a call whose text this
  /// device does not know, or the newest that it has heard of before its own.
  func knownUpdate(of id: AlertID) throws -> NewestUpdate? {
    try readableRows(
      "SELECT update_id, update_body FROM alerts WHERE id = ? AND update_body IS NOT NULL", SQLiteValue(id)
    ) { row in try NewestUpdate(storedBody: row["update_body"], named: row["update_id"]) }.first
  }

  /// What an end that is made now has to name: the newest update that this device has heard of. Its own updates need not be named.
  func seenUpdates(of id: AlertID) throws -> [MutationID] {
    try readableRows("SELECT update_id FROM alerts WHERE id = ? AND update_id IS NOT NULL", SQLiteValue(id)) { row in
      try row["update_id", as: MutationID.self]
    }
  }

  /// The alert of its own that an update becomes: one without words if those cannot be read.
  func separateAlert(
    of mutation: SyncRequestWriter.QueuedMutation, isDrill: Bool, _ identifiers: IdentifierSource
  ) throws -> RaisedAlert {
    let update =
      (try? AlertUpdate(storedBody: mutation.body))
      ?? AlertUpdate(at: mutation.occurredAt, message: nil, location: nil)
    let press = try readableRows(
      "SELECT id, notification_id, utc_offset_minutes, started_monotonic FROM presses WHERE mutation_id = ?",
      SQLiteValue(mutation.id)
    ) { row in
      (
        id: try row["id", as: AlertID.self], notification: try row["notification_id", as: NotificationID.self],
        offset: try row["utc_offset_minutes", as: Int?.self], monotonic: try row["started_monotonic", as: Int64.self]
      )
    }.first
    return RaisedAlert(
      id: press?.id ?? identifiers.next(), mutationID: identifiers.next(),
      notificationID: press?.notification ?? identifiers.next(),
      activation: AlertActivation(
        startedAt: update.at, message: update.message, location: update.location, isDrill: isDrill,
        utcOffsetMinutes: press?.offset),
      startedMonotonicMilliseconds: press?.monotonic ?? identifiers.moment.monotonicMilliseconds)
  }
}

extension StoreTransaction {
  /// Removes the queued updates that are no calls for help, except for the newest ones.
  func removePendingPlaces(of id: AlertID, exceptNewest kept: Int64 = 0) throws {
    guard try hasPendingUpdate(of: id) else { return }
    try keepSequences()
    try run(
      """
      DELETE FROM pending_mutations WHERE sequence IN (
        SELECT sequence FROM pending_mutations INDEXED BY pending_mutations_updates
        WHERE entity_id = ? AND kind = 'alert.update' AND instr(body, ?) > 0 ORDER BY sequence DESC LIMIT -1 OFFSET ?)
      """, SQLiteValue(id), .text(MutationBody.noCall), .integer(kept))
  }

  /// Stores the newest update that the server has, and that this device has seen with all before it.
  func setKnownUpdate(_ newest: NewestUpdate, of id: AlertID) throws {
    try run(
      "UPDATE alerts SET update_id = ?, update_body = ? WHERE id = ?", SQLiteValue(newest.id),
      .text(MutationBody.text(of: .updateAlert(newest.update))), SQLiteValue(id))
  }

  /// Stores the newest update that the server has from this device. Which calls of other devices came before it is not known yet: an end
  /// names what was seen before.
  func setUnseenUpdate(_ newest: NewestUpdate, of id: AlertID) throws {
    try run("UPDATE alerts SET update_body = ? WHERE id = ?", .text(newest.storedBody), SQLiteValue(id))
  }

  /// Stores an end that the server told of, by its answer or by a change while an update waited. It is held back while a call waits.
  func holdEnd(of id: AlertID, _ endedAt: Timestamp?, at serverTime: Timestamp) throws {
    if let endedAt {
      try run(
        """
        UPDATE alerts SET held_end_at = coalesce(held_end_at, ?1), held_end_accepted_at = coalesce(held_end_accepted_at, ?2)
        WHERE id = ?3 AND end_accepted_at IS NULL
        """, SQLiteValue(endedAt), SQLiteValue(serverTime), SQLiteValue(id))
    }
    try releaseHeldEnd(of: id)
  }

  /// Shows an end that was held back while a call waited, unless another call waits.
  func releaseHeldEnd(of id: AlertID) throws {
    guard try !hasPendingCall(of: id) else { return }
    try run(
      """
      UPDATE alerts SET ended_at = held_end_at, end_accepted_at = held_end_accepted_at, held_end_at = NULL,
        held_end_accepted_at = NULL
      WHERE id = ? AND held_end_at IS NOT NULL
      """, SQLiteValue(id))
  }

  /// Takes back an end that was made here without knowing of a newer call for help: the alert is active again.
  ///
  /// - Parameter newest: the update that the next end has to name as seen. Its text is not known here: the text that is known stays under
  ///   its own id, for a server that has lost it.
  func takeBackEnd(of id: AlertID, newest: MutationID?) throws {
    let known = try knownUpdate(of: id)
    try keepSequences()
    try run("DELETE FROM pending_mutations WHERE entity_id = ? AND kind = 'alert.deactivate'", SQLiteValue(id))
    try run("DELETE FROM pending_notifications WHERE alert_id = ? AND kind = 'deactivated'", SQLiteValue(id))
    try run(
      """
      UPDATE alerts SET ended_at = NULL, end_accepted_at = NULL, end_discarded_at = NULL,
        update_id = coalesce(?, update_id), update_body = coalesce(?, update_body)
      WHERE id = ?
      """, SQLiteValue(newest), SQLiteValue(known?.storedBody), SQLiteValue(id))
  }
}
