import Model
import PlantedBugs
import SQLiteKit
import Wire

// Raising an alert. A press is one call for help by a person. While an alert is active, a press is queued as an update of it, and
// becomes an alert of its own as soon as the server says that the other one had ended.

extension StoreTransaction {
  /// Stores a press, made now or found in the spool: as a new alert if none is active, otherwise as an update of the active one.
  ///
  /// No press is lost: parts of the active alert that the server had rejected are queued again, under new ids; an update that still waits
  /// is replaced only by one that says all that it says. A press that was stored before changes nothing. A drill adds nothing to a real
  /// alert.
  ///
  /// - Parameters:
  ///   - ends: those that the store does not have yet. The press does not update an alert that one of them ends.
  ///   - mayHaveBeenSent: from memory, as an alert of its own or as an update, under the ids that it has for each.
  func activate(
    _ press: RaisedAlert, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64),
    besides ends: [UnsavedEnd] = [], mayHaveBeenSent: Bool = false
  ) throws -> Activation {
    if let known = try alert(ofPress: press.id) { return Activation(known, of: press) }
    guard let active = try activeAlert(repeatedBy: press, besides: ends) else {
      try insert(press, at: moment)
      return Activation(alert: press.alert, alreadyActive: false, isSpooled: false, press: press.id)
    }
    let identifiers = IdentifierSource(moment: moment, random: random)
    let isRetried = try unparkActivation(of: active.id, identifiers)
    if PlantedBug.pressSwallowed.isPlanted || press.activation.isDrill && !active.isDrill {
      // The process that raised the alert may have been killed before its commit was synced. A commit that writes syncs the log before it.
      if !isRetried { try setValue(press.mutationID.description, for: .writeMark) }
      return Activation(alert: active, alreadyActive: true, isSpooled: false, press: active.id)
    }
    try enqueueCall(
      press, as: mayHaveBeenSent ? press.updateID : press.mutationID, of: active, identifiers, asItIs: mayHaveBeenSent)
    return Activation(active, of: press)
  }

  /// Queues a press as an update of the active alert. It has what earlier ones that wait say of words and places, where it says nothing
  /// itself, and replaces the newest of them that it repeats. Calls with other words wait on before it.
  ///
  /// - Parameter asItIs: the update says what the press says, since the server may have it with these words.
  func enqueueCall(
    _ press: RaisedAlert, _ details: AlertNews = AlertNews(), as mutationID: MutationID, of active: Alert,
    _ identifiers: IdentifierSource, asItIs: Bool = false
  ) throws {
    let activation = press.activation
    let own = AlertUpdate(
      at: activation.startedAt, message: activation.message, location: activation.location,
      accuracyMeters: details.accuracyMeters, batteryPercent: details.batteryPercent)
    let update = asItIs ? own : own.over(try pendingUpdate(of: active.id)?.update)
    try makeRoom(for: update, of: active.id, identifiers)
    let mutation = Mutation(
      id: mutationID, entityID: EntityID(active.id), occurredAt: activation.startedAt, change: .updateAlert(update))
    try enqueue(mutation, at: identifiers.moment)
    try insertPress(press, as: mutationID, of: active.id)
  }

  /// Notes a press that the server has as an update of this alert: it is not sent again. Its words stay known here until the server tells of
  /// newer ones.
  func noteReceived(_ press: RaisedAlert, in alert: AlertID, at acceptedAt: Timestamp) throws {
    try insertPress(press, as: press.updateID, of: alert, acceptedAt: acceptedAt)
    let known = try knownUpdate(of: alert)
    if let known, known.update.at >= press.update.at { return }
    try setUnseenUpdate(NewestUpdate(id: press.updateID, update: press.update.over(known?.update)), of: alert)
  }

  private func insertPress(
    _ press: RaisedAlert, as mutationID: MutationID, of alert: AlertID, acceptedAt: Timestamp? = nil
  ) throws {
    try run(
      """
      INSERT INTO presses (id, mutation_id, notification_id, alert_id, utc_offset_minutes, started_monotonic, accepted_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """,
      SQLiteValue(press.id), SQLiteValue(mutationID), SQLiteValue(press.notificationID), SQLiteValue(alert),
      SQLiteValue(press.activation.utcOffsetMinutes.map(Int64.init)), .integer(press.startedMonotonicMilliseconds),
      SQLiteValue(acceptedAt))
  }

  /// Retries what the server had rejected of an alert: a person who raises it again does not accept the rejection. Its parked activation
  /// and its parked request are queued in their places, under new ids. False if nothing was parked.
  private func unparkActivation(of id: AlertID, _ identifiers: IdentifierSource) throws -> Bool {
    try repairParkedActivation(of: id)
    try run(
      """
      UPDATE pending_mutations SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
        next_attempt_at = 0, last_error = NULL
      WHERE entity_id = ? AND kind = 'alert.activate' AND parked_at IS NOT NULL
      """, SQLiteValue(identifiers.next() as MutationID), SQLiteValue(id))
    var unparked = changedRows
    try run(
      """
      UPDATE pending_notifications SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL,
        attempts = 0, next_attempt_at = 0, last_error = NULL
      WHERE alert_id = ? AND kind = 'activated' AND parked_at IS NOT NULL
      """, SQLiteValue(identifiers.next() as NotificationID), SQLiteValue(id))
    unparked += changedRows
    if unparked > 0 { try makeDue(.emergency) }
    return unparked > 0
  }

  /// Writes the body of a parked activation anew where it cannot be read: the server would refuse it again, with all that waits behind it.
  private func repairParkedActivation(of id: AlertID) throws {
    guard let alert = try alert(id) else { return }
    let parked = try readableRows(
      """
      SELECT q.sequence, q.body, utc_offset_minutes FROM pending_mutations q JOIN alerts a ON a.id = q.entity_id
      WHERE q.entity_id = ? AND q.kind = 'alert.activate' AND q.parked_at IS NOT NULL AND only_contact IS NULL
      """, SQLiteValue(id)
    ) { row in
      (
        sequence: try row["sequence", as: Int64.self], body: try row["body", as: String.self],
        offset: try row["utc_offset_minutes", as: Int?.self]
      )
    }
    for parked in parked where (try? JSONDocument(Array(parked.body.utf8)).root) == nil {
      let activation = AlertActivation(
        startedAt: alert.startedAt, message: alert.message, location: alert.location, isDrill: alert.isDrill,
        utcOffsetMinutes: parked.offset)
      try run(
        "UPDATE pending_mutations SET body = ? WHERE sequence = ?",
        .text(MutationBody.text(of: .activateAlert(activation))), .integer(parked.sequence))
    }
  }
}

extension StoreReading {
  /// The alert that a stored press raised, or updates.
  fileprivate func alert(ofPress id: AlertID) throws -> Alert? {
    try row(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE id = coalesce((SELECT alert_id FROM presses WHERE id = ?1), ?1)
      """, SQLiteValue(id), row: Alert.init(row:))
  }

  /// Whether the store has the press, so that nothing of it waits in the spool.
  func hasPress(_ id: AlertID) throws -> Bool {
    try value(
      "SELECT EXISTS (SELECT 1 FROM alerts WHERE id = ?1) OR EXISTS (SELECT 1 FROM presses WHERE id = ?1)",
      SQLiteValue(id)) ?? false
  }

  /// The active alert that the press repeats, a real one first. A drill repeats any alert, a real press only a real one. Alerts that a
  /// sign-out is about to remove do not count, and neither do tests of one responder.
  fileprivate func activeAlert(repeatedBy press: RaisedAlert, besides ends: [UnsavedEnd]) throws -> Alert? {
    try rows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL AND drill <= ?
        AND NOT EXISTS (SELECT 1 FROM sync_state WHERE key = 'signing_out' AND instr(value, alerts.id) > 0)
      ORDER BY drill, list_order LIMIT ?
      """, SQLiteValue(press.activation.isDrill), .integer(Int64(ends.count + 1)), row: Alert.init(row:)
    ).first { ends.applied(to: $0).isActive }
  }
}
