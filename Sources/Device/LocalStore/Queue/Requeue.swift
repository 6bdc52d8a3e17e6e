import Model
import PlantedBugs
import SQLiteKit
import Wire

/// An alert that is to be queued again.
struct AlertToRequeue {
  let alert: Alert
  let utcOffsetMinutes: Int?
  let isEndDiscarded: Bool
  /// Whether the server ever named it. If not, nobody knows whether responders were notified of it.
  let wasNamed: Bool
  /// Whether the server lacks the whole alert, and not only its end.
  let isMissing: Bool
  /// Whether it tests one responder.
  let isTest: Bool

  /// The columns of `Alert(row:)`, `utc_offset_minutes`, `end_discarded_at`, `was_named` and `is_test`.
  init(row: borrowing Row, isMissing: Bool) throws(SQLiteError) {
    alert = try Alert(row: row)
    utcOffsetMinutes = try row["utc_offset_minutes"]
    isEndDiscarded = try !row.isNull("end_discarded_at")
    wasNamed = try row["was_named"]
    isTest = try row["is_test"]
    self.isMissing = isMissing
  }
}

// Queueing again what the server lacks: after a salvage, or after the server was restored.
extension StoreTransaction {
  /// After a salvage: queues the alerts that the server never said it had, under new ids, oldest first, each activation before its end;
  /// then the ends that it lacks.
  func requeueNeverAccepted(_ identifiers: IdentifierSource) throws {
    let alerts = try readableRows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, utc_offset_minutes, end_discarded_at,
        0 AS was_named, only_contact IS NOT NULL AS is_test
      FROM alerts
      WHERE accepted_at IS NULL AND discarded_at IS NULL
        AND id NOT IN (SELECT entity_id FROM pending_mutations WHERE kind = 'alert.activate')
      ORDER BY list_order
      """
    ) { row in try AlertToRequeue(row: row, isMissing: true) }
    for alert in alerts { try requeue(alert, in: nil, identifiers) }
    try requeueLostEnds(identifiers)
  }

  /// Queues the alert's activation, and its end behind it.
  ///
  /// Responders are notified of an active alert. Of one that has ended they are only notified of what they had not been told, by this
  /// device or by the restored server; of everything if the server never named the alert.
  ///
  /// A test of one responder is not queued again, but over: the person can repeat it.
  ///
  /// - Parameter resubmission: the id of the resubmission that does it, if any.
  func requeue(_ missing: AlertToRequeue, in resubmission: String?, _ identifiers: IdentifierSource) throws {
    let alert = missing.alert
    guard !missing.isTest else { return try discardTest(alert.id, at: identifiers.moment) }
    let isNew = !missing.wasNamed
    let updates = try updatesToRequeue(of: alert.id)
    let untold = try dequeueAll(of: alert.id)
    try run(
      """
      UPDATE alerts SET accepted_at = NULL, end_accepted_at = NULL, discarded_at = NULL, resubmission = ?, list_order = ?
      WHERE id = ?
      """, SQLiteValue(resubmission), .integer(try nextListOrder()), SQLiteValue(alert.id))
    if alert.isActive { try run("DELETE FROM receipts WHERE alert_id = ?", SQLiteValue(alert.id)) }
    let activation = AlertActivation(
      startedAt: alert.startedAt, message: alert.message, location: alert.location, isDrill: alert.isDrill,
      utcOffsetMinutes: missing.utcOffsetMinutes)
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(alert.id), occurredAt: alert.startedAt,
      change: .activateAlert(activation))
    let sequence = try enqueue(mutation, at: identifiers.moment)
    if alert.isActive || isNew || untold.contains(.activated) {
      let notification = NotificationRequest(id: identifiers.next(), alertID: alert.id, notice: .activated)
      try enqueue(notification, behind: sequence, at: identifiers.moment)
    }
    for update in updates { try requeue(update, of: alert.id, identifiers) }
    guard !missing.isEndDiscarded, !PlantedBug.staleAlertReplayed.isPlanted else { return }
    let isEndUntold = try untold.contains(.deactivated) || hasUntoldEnd(alert.id)
    try enqueueEnd(of: alert, identifiers: identifiers, isNotified: isNew || isEndUntold)
  }

  /// The newest update, with the words of the last call where it is a place alone; and before it the other calls that wait.
  private func updatesToRequeue(of alert: AlertID) throws -> [NewestUpdate] {
    let known = try knownUpdate(of: alert)
    guard let pending = try pendingUpdate(of: alert) else { return known.map { [$0] } ?? [] }
    let calls = try waitingUpdates(of: alert)
    if let last = calls.last { return calls.dropLast() + [NewestUpdate(id: last.id, update: pending.update)] }
    guard let known else { return [pending] }
    return [NewestUpdate(id: pending.id, update: pending.update.over(known.update))]
  }

  /// Queues an update under its own id, unless it waits already: several devices may offer the same one to a server that has lost it.
  func requeue(_ newest: NewestUpdate, of id: AlertID, _ identifiers: IdentifierSource) throws {
    let isQueued = try hasRow(
      """
      SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' AND id = ?
      """, SQLiteValue(id), SQLiteValue(newest.id))
    guard !isQueued else { return }
    let mutation = Mutation(
      id: newest.id, entityID: EntityID(id), occurredAt: newest.update.at, change: .updateAlert(newest.update))
    try enqueue(mutation, at: identifiers.moment)
  }

  /// Removes everything of an alert from the queue, and gives the notices that responders were still to get.
  private func dequeueAll(of id: AlertID) throws -> [Notice] {
    let notices = try rows("SELECT kind FROM pending_notifications WHERE alert_id = ?", SQLiteValue(id)) { row in
      try row.choice("kind", as: Notice.self)
    }
    try keepSequences()
    try run("DELETE FROM pending_notifications WHERE alert_id = ?", SQLiteValue(id))
    try run(
      "DELETE FROM pending_mutations WHERE entity_id = ? AND sequence < ?", SQLiteValue(id), .firstRoutineSequence)
    return notices
  }

  /// Queues the ends that are set here and that the server lacks.
  private func requeueLostEnds(_ identifiers: IdentifierSource) throws {
    let alerts = try readableRows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE accepted_at IS NOT NULL AND ended_at IS NOT NULL AND end_accepted_at IS NULL AND end_discarded_at IS NULL
        AND id NOT IN (SELECT entity_id FROM pending_mutations WHERE kind = 'alert.deactivate')
      ORDER BY list_order
      """, row: Alert.init(row:))
    for alert in alerts { try requeueEnd(of: alert, identifiers) }
  }

  /// Queues the end of an alert that has ended here, for a server that lacks it.
  ///
  /// - Parameter seen: the updates that it has seen; nil for what this device has heard of.
  func requeueEnd(of id: AlertID, seen: [MutationID]? = nil, _ identifiers: IdentifierSource) throws {
    if let alert = try alert(id) { try requeueEnd(of: alert, seen: seen, identifiers) }
  }

  /// The same. Responders are notified, since it may be that they never were.
  func requeueEnd(of alert: Alert, seen: [MutationID]? = nil, _ identifiers: IdentifierSource) throws {
    try clearWayForEnd(of: alert.id, identifiers)
    try enqueueEnd(of: alert, seen: seen, identifiers: identifiers, isNotified: true)
  }

  /// Queues a contact that the server lacks, unless a newer mutation of it is queued.
  func requeueContact(_ id: EntityID, _ identifiers: IdentifierSource) throws {
    let contact = try row(
      """
      SELECT server_state,
        EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = contacts.id AND lane = 'routine') AS has_queued
      FROM contacts WHERE id = ?
      """, SQLiteValue(id)
    ) { row in (body: try row["server_state", as: String?.self], hasQueued: try row["has_queued", as: Bool.self]) }
    try run("UPDATE contacts SET server_state = NULL, webhook_secret = NULL WHERE id = ?", SQLiteValue(id))
    guard let contact, !contact.hasQueued, let body = contact.body else { return }
    let mutation = SyncRequestWriter.QueuedMutation(
      id: identifiers.next(), kind: .putContact, entityID: id, occurredAt: identifiers.moment.wall, body: body)
    try enqueue(mutation, at: identifiers.moment)
  }

  /// Rebuilds the rows of alerts of which only the queued activation is left; gives their number.
  func rebuildAlertsFromMutations() throws -> Int {
    let queued = try readableRows(
      """
      SELECT entity_id, id, body, created_monotonic FROM pending_mutations
      WHERE kind = 'alert.activate' AND NOT EXISTS (SELECT 1 FROM alerts WHERE id = entity_id) ORDER BY sequence
      """
    ) { row -> RaisedAlert in
      let mutationID: MutationID = try row["id"]
      return RaisedAlert(
        id: try row["entity_id"], mutationID: mutationID, notificationID: NotificationID(mutationID),
        activation: try AlertActivation(storedBody: row["body"]),
        startedMonotonicMilliseconds: try row["created_monotonic"])
    }
    for raised in queued {
      try insertRow(raised)
      try run(
        """
        UPDATE alerts SET ended_at = (
          SELECT occurred_at FROM pending_mutations WHERE entity_id = ?1 AND kind = 'alert.deactivate')
        WHERE id = ?1
        """, SQLiteValue(raised.id))
    }
    return queued.count
  }
}

extension StoreReading {
  func alert(_ id: AlertID) throws -> Alert? {
    try row(
      "SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts WHERE id = ?", SQLiteValue(id),
      row: Alert.init(row:))
  }
}
