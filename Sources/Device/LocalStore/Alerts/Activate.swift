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
  /// is replaced by one that contains both, the newest message first. A press that was stored before changes nothing. A drill adds
  /// nothing to a real alert.
  ///
  /// - Parameters:
  ///   - ends: those that the store does not have yet. The press does not update an alert that one of them ends.
  ///   - mayHaveBeenSent: as an alert of its own, from memory, under the ids that it has: an update needs another id.
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
    let mutationID: MutationID = mayHaveBeenSent ? identifiers.next() : press.mutationID
    try enqueueCall(press, as: mutationID, of: active, at: moment)
    return Activation(active, of: press)
  }

  /// Queues a press as an update of the active alert. It replaces the calls that still wait, and has what they say.
  func enqueueCall(
    _ press: RaisedAlert, _ details: AlertNews = AlertNews(), as mutationID: MutationID, of active: Alert,
    at moment: Moment
  ) throws {
    let activation = press.activation
    let pending = try pendingUpdate(of: active.id)
    let update = AlertUpdate(
      at: activation.startedAt, message: activation.message, location: activation.location,
      accuracyMeters: details.accuracyMeters, batteryPercent: details.batteryPercent
    ).over(pending?.update)
    try removePendingCalls(of: active.id)
    let mutation = Mutation(
      id: mutationID, entityID: EntityID(active.id), occurredAt: activation.startedAt, change: .updateAlert(update))
    _ = try enqueue(mutation, at: moment)
    try run(
      """
      INSERT INTO presses (id, mutation_id, notification_id, alert_id, utc_offset_minutes, started_monotonic)
      VALUES (?, ?, ?, ?, ?, ?)
      """,
      SQLiteValue(press.id), SQLiteValue(mutationID), SQLiteValue(press.notificationID), SQLiteValue(active.id),
      SQLiteValue(activation.utcOffsetMinutes.map(Int64.init)), .integer(press.startedMonotonicMilliseconds))
  }

  /// Retries what the server had rejected of an alert: a person who raises it again does not accept the rejection. Its parked activation
  /// and its parked request are queued in their places, under new ids. False if nothing was parked.
  private func unparkActivation(of id: AlertID, _ identifiers: IdentifierSource) throws -> Bool {
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
