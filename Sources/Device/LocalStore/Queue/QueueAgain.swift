import Model
import PlantedBugs
import SQLiteKit
import Wire

/// An alert that is to be queued again.
struct AlertToResubmit {
  let alert: Alert
  let utcOffsetMinutes: Int?
  let isEndDiscarded: Bool
  /// Whether the server ever named it: else nobody knows whether responders were told of it.
  let wasNamed: Bool
  /// Whether the server lacks the whole alert, and not its end alone.
  let isMissing: Bool
}

// Queueing again, inside a write transaction.
extension Connection {
  /// After a salvage: queues what the server never said it had, under new ids, in the order in which it was raised, each
  /// activation before its end; then the ends that it lacks.
  func queueNeverAccepted(
    at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)
  ) throws {
    let identifiers = IdentifierSource(moment: moment, random: random)
    let alerts = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, utc_offset_minutes, end_discarded_at, 0
      FROM alerts
      WHERE accepted_at IS NULL AND discarded_at IS NULL
        AND id NOT IN (SELECT entity_id FROM pending_mutations WHERE kind = 'alert.activate')
      ORDER BY list_order
      """
    ).allReadable { try $0.alertToResubmit(isMissing: true) }
    for alert in alerts { try queueAgain(alert, in: nil, identifiers) }
    try queueLostEnds(identifiers)
  }

  /// Queues the alert's activation, and its end behind it. Responders are told of one that is active; of one that has ended,
  /// only what was still to be told, by this device or by the server that was restored, or all where the server never named
  /// it.
  /// - Parameter resubmission: the one that does it, if any.
  func queueAgain(_ missing: AlertToResubmit, in resubmission: String?, _ identifiers: IdentifierSource) throws {
    let alert = missing.alert
    let isNotifiedAnew = !missing.wasNamed
    let waiting = try updateToOffer(of: alert.id)
    let untold = try withdrawQueued(of: alert.id)
    try statement(
      """
      UPDATE alerts SET accepted_at = NULL, end_accepted_at = NULL, discarded_at = NULL, resubmission = ?, list_order = ?
      WHERE id = ?
      """
    ).run(SQLiteValue(resubmission), .integer(try nextPlace()), SQLiteValue(alert.id))
    if alert.isActive { try statement("DELETE FROM receipts WHERE alert_id = ?").run(SQLiteValue(alert.id)) }
    let activation = AlertActivation(
      startedAt: alert.startedAt, message: alert.message, location: alert.location, isDrill: alert.isDrill,
      utcOffsetMinutes: missing.utcOffsetMinutes)
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(alert.id), occurredAt: alert.startedAt,
      change: .activateAlert(activation))
    let sequence = try queue(mutation, at: identifiers.moment)
    if alert.isActive || isNotifiedAnew || untold.contains(.activated) {
      let notification = NotificationRequest(id: identifiers.next(), alertID: alert.id, notice: .activated)
      try queue(notification, behind: sequence, at: identifiers.moment)
    }
    if let waiting { try queueAgain(waiting, of: alert.id, identifiers) }
    guard !missing.isEndDiscarded, !PlantedBug.staleAlertReplayed.isPlanted else { return }
    let isEndUntold = try untold.contains(.deactivated) || hasUntoldEnd(alert.id)
    try queueEnd(of: alert, identifiers: identifiers, isNotified: isNotifiedAnew || isEndUntold)
  }

  /// The newest call for help in the alert: the one that waits, or the one that the server had.
  private func updateToOffer(of id: AlertID) throws -> NewestUpdate? {
    try pendingUpdate(of: id) ?? knownUpdate(of: id)
  }

  /// Under its own id: several devices may offer the same call to a server that has lost it.
  func queueAgain(_ newest: NewestUpdate, of id: AlertID, _ identifiers: IdentifierSource) throws {
    let mutation = Mutation(
      id: newest.id, entityID: EntityID(id), occurredAt: newest.update.at, change: .updateAlert(newest.update))
    _ = try queue(mutation, at: identifiers.moment)
  }

  /// Takes an alert's rows out of the queue, to be queued again behind its activation, and says what responders had not
  /// been told.
  private func withdrawQueued(of id: AlertID) throws -> [Notice] {
    let notices: [Notice] = try statement("SELECT kind FROM pending_notifications WHERE alert_id = ?")
      .all(SQLiteValue(id)) { try $0.enumeration(0) }
    try keepSequences()
    try statement("DELETE FROM pending_notifications WHERE alert_id = ?").run(SQLiteValue(id))
    try statement("DELETE FROM pending_mutations WHERE entity_id = ? AND sequence < ?").run(
      SQLiteValue(id), .firstRoutineSequence)
    return notices
  }

  /// Ends that stand here and that the server does not have.
  private func queueLostEnds(_ identifiers: IdentifierSource) throws {
    let alerts = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE accepted_at IS NOT NULL AND ended_at IS NOT NULL AND end_accepted_at IS NULL AND end_discarded_at IS NULL
        AND id NOT IN (SELECT entity_id FROM pending_mutations WHERE kind = 'alert.deactivate')
      ORDER BY list_order
      """
    ).allReadable { try $0.alert() }
    for alert in alerts { try queueLostEnd(of: alert, identifiers) }
  }

  /// Queues the end of an alert that has ended here, where the server lacks it.
  func queueLostEnd(of id: AlertID, _ identifiers: IdentifierSource) throws {
    let alert = try statement(
      "SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts WHERE id = ?"
    ).first(SQLiteValue(id)) { try $0.alert() }
    if let alert { try queueLostEnd(of: alert, identifiers) }
  }

  /// Queues an end that the server lacks. Responders are told, since it may never have come to that.
  func queueLostEnd(of alert: Alert, _ identifiers: IdentifierSource) throws {
    try makeWayForEnd(of: alert.id, identifiers)
    try queueEnd(of: alert, identifiers: identifiers, isNotified: true)
  }

  /// Offers a contact that the server lacks, unless something of it is queued: that says more.
  func queueContactAgain(_ id: EntityID, _ identifiers: IdentifierSource) throws {
    let contact = try statement(
      """
      SELECT server_state, EXISTS (SELECT 1 FROM pending_mutations WHERE entity_id = contacts.id AND lane = 'routine')
      FROM contacts WHERE id = ?
      """
    ).first(SQLiteValue(id)) { (body: $0.optionalText(0), hasQueued: $0.boolean(1)) }
    try statement("UPDATE contacts SET server_state = NULL, webhook_secret = NULL WHERE id = ?").run(SQLiteValue(id))
    guard let contact, !contact.hasQueued, let body = contact.body else { return }
    let mutation = SyncRequestWriter.QueuedMutation(
      id: identifiers.next(), kind: .putContact, entityID: id, occurredAt: identifiers.moment.wall, body: body)
    _ = try queue(mutation, at: identifiers.moment)
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
  /// The columns of `alert()`, then `utc_offset_minutes, end_discarded_at`, and whether the server ever named it.
  func alertToResubmit(isMissing: Bool) throws -> AlertToResubmit {
    AlertToResubmit(
      alert: try alert(), utcOffsetMinutes: optionalInteger(7).map { Int($0) }, isEndDiscarded: !isNull(8),
      wasNamed: boolean(9), isMissing: isMissing)
  }
}
