import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Which alerts and contacts the server lacks without a mutation being queued for them.
enum Unheard {
  /// After a salvage: what the server never said it had.
  case neverAccepted
  /// After a pull from a restored server: what it had before, and did not name since. Nobody knows whether responders were
  /// told of what it never named.
  case notNamed(inEpoch: String)
}

// Offering again, inside a write transaction.
extension Connection {
  /// Queues what the server lacks, under new ids: alerts in the order in which they were raised, each activation before its
  /// end, then contacts.
  func queueAgain(
    _ unheard: Unheard, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) throws {
    let identifiers = IdentifierSource(moment: moment, random: random)
    switch unheard {
    case .neverAccepted:
      for unheard in try neverAcceptedAlerts() { try queueAgain(unheard, identifiers) }
      try queueLostEnds(identifiers)
    case .notNamed(let epoch):
      for unheard in try alertsNotNamed(in: epoch) { try queueAgain(unheard, identifiers) }
      try queueLostEnds(identifiers)
      try retryUnknownAlerts(identifiers)
      try queueContactsNotNamed(in: epoch, identifiers)
    }
  }

  private typealias UnheardAlert = (alert: Alert, utcOffsetMinutes: Int?, isEndDiscarded: Bool, wasNamed: Bool)

  private func neverAcceptedAlerts() throws -> [UnheardAlert] {
    try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, utc_offset_minutes, end_discarded_at, 0
      FROM alerts
      WHERE accepted_at IS NULL AND discarded_at IS NULL
        AND id NOT IN (SELECT entity_id FROM pending_mutations WHERE kind = 'alert.activate')
      ORDER BY list_order
      """
    ).allReadable { try $0.unheardAlert() }
  }

  private func alertsNotNamed(in epoch: String) throws -> [UnheardAlert] {
    try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, utc_offset_minutes, end_discarded_at,
        server_epoch IS NOT NULL
      FROM alerts
      WHERE accepted_at IS NOT NULL AND server_epoch IS NOT ?
        AND id NOT IN (SELECT entity_id FROM pending_mutations WHERE kind = 'alert.activate')
      ORDER BY list_order
      """
    ).allReadable(.text(epoch)) { try $0.unheardAlert() }
  }

  /// Queues the alert's activation, and its end behind it. Responders are told of one that is active; of one that has ended,
  /// only what was still to be told, by this device or by the server that was restored, or all where the server never named
  /// it.
  private func queueAgain(_ unheard: UnheardAlert, _ identifiers: IdentifierSource) throws {
    let alert = unheard.alert
    let isNotifiedAnew = !unheard.wasNamed
    let untold = try withdrawQueued(of: alert.id)
    try statement(
      """
      UPDATE alerts SET accepted_at = NULL, end_accepted_at = NULL, discarded_at = NULL, list_order = ?
      WHERE id = ?
      """
    ).run(.integer(try nextPlace()), SQLiteValue(alert.id))
    try statement("DELETE FROM receipts WHERE alert_id = ?").run(alert.isActive ? SQLiteValue(alert.id) : .null)
    let activation = AlertActivation(
      startedAt: alert.startedAt, message: alert.message, location: alert.location, isDrill: alert.isDrill,
      utcOffsetMinutes: unheard.utcOffsetMinutes)
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(alert.id), occurredAt: alert.startedAt,
      change: .activateAlert(activation))
    let sequence = try queue(mutation, at: identifiers.moment)
    if alert.isActive || isNotifiedAnew || untold.contains(.activated) {
      let notification = NotificationRequest(id: identifiers.next(), alertID: alert.id, notice: .activated)
      try queue(notification, behind: sequence, at: identifiers.moment)
    }
    guard !unheard.isEndDiscarded, !PlantedBug.staleAlertReplayed.isPlanted else { return }
    let isEndUntold = try untold.contains(.deactivated) || hasUntoldEnd(alert.id)
    try queueEnd(of: alert, identifiers: identifiers, isNotified: isNotifiedAnew || isEndUntold)
  }

  /// Takes an alert's rows out of the queue, to be queued again behind its activation, and says what responders had not
  /// been told.
  private func withdrawQueued(of id: AlertID) throws -> [Notice] {
    let notices: [Notice] = try statement("SELECT kind FROM pending_notifications WHERE alert_id = ?")
      .all(SQLiteValue(id)) { try $0.enumeration(0) }
    try keepSequences()
    try statement("DELETE FROM pending_notifications WHERE alert_id = ?").run(SQLiteValue(id))
    try statement("DELETE FROM pending_mutations WHERE entity_id = ? AND sequence < 2305843009213693952").run(
      SQLiteValue(id))
    return notices
  }

  /// Ends that stand here and that the server does not have. Responders are told, since it may never have come to that.
  private func queueLostEnds(_ identifiers: IdentifierSource) throws {
    let alerts = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE accepted_at IS NOT NULL AND ended_at IS NOT NULL AND end_accepted_at IS NULL AND end_discarded_at IS NULL
        AND id NOT IN (SELECT entity_id FROM pending_mutations WHERE kind = 'alert.deactivate')
      ORDER BY list_order
      """
    ).allReadable { try $0.alert() }
    for alert in alerts {
      try makeWayForEnd(of: alert.id, identifiers)
      try queueEnd(of: alert, identifiers: identifiers, isNotified: true)
    }
  }

  private func queueContactsNotNamed(in epoch: String, _ identifiers: IdentifierSource) throws {
    let contacts = try statement(
      """
      SELECT id, server_state,
        EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = contacts.id AND lane = 'routine')
      FROM contacts WHERE server_state IS NOT NULL AND server_epoch IS NOT ? ORDER BY rowid
      """
    ).allReadable(.text(epoch)) { row -> (id: EntityID, body: String, hasQueued: Bool) in
      (try row.identifier(0), row.text(1), row.boolean(2))
    }
    for contact in contacts {
      try statement("UPDATE contacts SET server_state = NULL, webhook_secret = NULL WHERE id = ?")
        .run(SQLiteValue(contact.id))
      guard !contact.hasQueued else { continue }
      let mutation = SyncRequestWriter.QueuedMutation(
        id: identifiers.next(), kind: .putContact, entityID: contact.id, occurredAt: identifiers.moment.wall,
        body: contact.body)
      _ = try queue(mutation, at: identifiers.moment)
    }
  }

  /// Makes the rows of alerts whose queued activation is all that is left of them; gives how many.
  func rebuildAlertsFromMutations() throws -> Int {
    let queued = try statement(
      """
      SELECT entity_id, id, body, created_monotonic FROM pending_mutations
      WHERE kind = 'alert.activate' AND NOT EXISTS (SELECT 1 FROM alerts WHERE id = entity_id) ORDER BY sequence
      """
    ).allReadable { row -> RaisedAlert in
      let mutationID: MutationID = try row.identifier(1)
      return RaisedAlert(
        id: try row.identifier(0), mutationID: mutationID, notificationID: NotificationID(mutationID),
        activation: try AlertActivation(storedBody: row.text(2)), startedMonotonicMilliseconds: row.integer(3))
    }
    for raised in queued {
      try insertRow(raised)
      try statement(
        """
        UPDATE alerts SET ended_at = (
          SELECT occurred_at FROM pending_mutations WHERE entity_id = ?1 AND kind = 'alert.deactivate')
        WHERE id = ?1
        """
      ).run(SQLiteValue(raised.id))
    }
    return queued.count
  }
}

extension Statement {
  fileprivate func unheardAlert() throws -> (
    alert: Alert, utcOffsetMinutes: Int?, isEndDiscarded: Bool, wasNamed: Bool
  ) {
    (try alert(), optionalInteger(7).map { Int($0) }, !isNull(8), boolean(9))
  }
}
