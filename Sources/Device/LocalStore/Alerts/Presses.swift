import Model
import PlantedBugs
import SQLiteKit
import Wire

// A press is one call for help by a person. Where it meets an active alert it is queued as an update of that alert, and becomes
// an alert of its own as soon as the server says that the other one had ended. Each function is called inside a write
// transaction.

extension Connection {
  /// Takes a press into the store, whether a person makes it now or it lay in the spool: a new alert where none is active,
  /// otherwise an update of the one that is.
  ///
  /// Nothing that was pressed is lost: what the server had refused of the active alert is offered anew, under new ids; an update
  /// that still waits is replaced by one that says both, the newest word first. A press that was taken in before changes nothing.
  /// A drill adds nothing to a real alert.
  ///
  /// - Parameters:
  ///   - ends: those that the store does not have yet. The press is no further call in an alert that one of them ends.
  ///   - mayHaveBeenSent: as an alert of its own, from memory, under the ids that it has: an update needs another one.
  func take(
    _ press: RaisedAlert, at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64),
    besides ends: [UnsavedEnd] = [], mayHaveBeenSent: Bool = false
  ) throws -> Activation {
    if let known = try alert(ofPress: press.id) { return Activation(known, of: press) }
    guard let standing = try activeAlert(standingInForDrill: press.activation.isDrill, besides: ends) else {
      try insert(press, at: moment)
      return Activation(alert: press.alert, alreadyActive: false, isSpooled: false, press: press.id)
    }
    let identifiers = IdentifierSource(moment: moment, random: random)
    let isRepeated = try unparkActivation(of: standing.id, identifiers)
    if PlantedBug.pressSwallowed.isPlanted || press.activation.isDrill && !standing.isDrill {
      // Whoever raised it may have been killed before its commit was synced: only a commit that writes is, and the log before
      // it.
      if !isRepeated { try setValue(press.mutationID.description, for: .writeMark) }
      return Activation(alert: standing, alreadyActive: true, isSpooled: false, press: standing.id)
    }
    let mutationID: MutationID = mayHaveBeenSent ? identifiers.next() : press.mutationID
    try queueUpdate(press, as: mutationID, of: standing, at: moment)
    return Activation(standing, of: press)
  }

  private func queueUpdate(
    _ press: RaisedAlert, as mutationID: MutationID, of standing: Alert, at moment: Moment
  ) throws {
    let activation = press.activation
    let waiting = try pendingUpdate(of: standing.id)
    let update = AlertUpdate(at: activation.startedAt, message: activation.message, location: activation.location)
      .over(waiting?.update)
    try removePendingUpdates(of: standing.id)
    let mutation = Mutation(
      id: mutationID, entityID: EntityID(standing.id), occurredAt: activation.startedAt,
      change: .updateAlert(update))
    _ = try queue(mutation, at: moment)
    try statement(
      """
      INSERT INTO presses (id, mutation_id, notification_id, alert_id, utc_offset_minutes, started_monotonic)
      VALUES (?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(press.id), SQLiteValue(mutationID), SQLiteValue(press.notificationID),
      SQLiteValue(standing.id), SQLiteValue(activation.utcOffsetMinutes.map(Int64.init)),
      SQLiteValue(press.startedMonotonicMilliseconds))
  }

  /// The alert that a press which was taken in raised, or updates.
  private func alert(ofPress id: AlertID) throws -> Alert? {
    try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts
      WHERE id = coalesce((SELECT alert_id FROM presses WHERE id = ?1), ?1)
      """
    ).first(SQLiteValue(id)) { try $0.alert() }
  }

  /// The alert stands for the press from now on: nothing of it waits in the spool.
  func hasPress(_ id: AlertID) throws -> Bool {
    try statement("SELECT EXISTS (SELECT 1 FROM alerts WHERE id = ?1) OR EXISTS (SELECT 1 FROM presses WHERE id = ?1)")
      .first(SQLiteValue(id)) { $0.boolean(0) } ?? false
  }

  /// The active alert that an activation would repeat, a real one first. A drill repeats any; a real alert only a real one.
  /// None that a sign-out under way is about to remove.
  private func activeAlert(standingInForDrill isDrill: Bool, besides ends: [UnsavedEnd]) throws -> Alert? {
    try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL AND drill <= ?
        AND NOT EXISTS (SELECT 1 FROM sync_state WHERE key = 'signing_out' AND instr(value, alerts.id) > 0)
      ORDER BY drill, list_order LIMIT ?
      """
    ).all(SQLiteValue(isDrill), .integer(Int64(ends.count + 1))) { try $0.alert() }
      .first { ends.applied(to: $0).isActive }
  }

  /// Raising an alert anew is a person's word that a refusal of it is not to stand: its parked activation and its parked
  /// request are queued again in their places, under new ids. False where nothing was parked.
  private func unparkActivation(of id: AlertID, _ identifiers: IdentifierSource) throws -> Bool {
    try statement(
      """
      UPDATE pending_mutations SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
        next_attempt_at = 0, last_error = NULL
      WHERE entity_id = ? AND kind = 'alert.activate' AND parked_at IS NOT NULL
      """
    ).run(SQLiteValue(identifiers.next() as MutationID), SQLiteValue(id))
    var unparked = changedRows
    try statement(
      """
      UPDATE pending_notifications SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL,
        attempts = 0, next_attempt_at = 0, last_error = NULL
      WHERE alert_id = ? AND kind = 'activated' AND parked_at IS NOT NULL
      """
    ).run(SQLiteValue(identifiers.next() as NotificationID), SQLiteValue(id))
    unparked += changedRows
    if unparked > 0 { try makeDue(.emergency) }
    return unparked > 0
  }
}

// Updates that wait.
extension Connection {
  /// The newest update of the alert that is queued, with its id; nil where none is, or where it cannot be read.
  func pendingUpdate(of id: AlertID) throws -> NewestUpdate? {
    try statement(
      """
      SELECT id, body FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' ORDER BY sequence DESC LIMIT 1
      """
    ).allReadable(SQLiteValue(id)) { row in
      NewestUpdate(id: try row.identifier(0), update: try AlertUpdate(storedBody: row.text(1)))
    }.first
  }

  func hasPendingUpdate(of id: AlertID) throws -> Bool {
    try statement(
      """
      SELECT 1 FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' LIMIT 1
      """
    ).first(SQLiteValue(id)) { _ in true } ?? false
  }

  func removePendingUpdates(of id: AlertID) throws {
    guard try hasPendingUpdate(of: id) else { return }
    try keepSequences()
    try statement("DELETE FROM pending_mutations WHERE entity_id = ? AND kind = 'alert.update'").run(SQLiteValue(id))
  }

  /// The newest update of the alert that the server has told of, and its id, which stands in the body where `update_id` names
  /// a call that nobody here has heard.
  func knownUpdate(of id: AlertID) throws -> NewestUpdate? {
    try statement("SELECT update_id, update_body FROM alerts WHERE id = ? AND update_body IS NOT NULL")
      .allReadable(SQLiteValue(id)) { row in
        try NewestUpdate(storedBody: row.text(1), named: row.identifier(0))
      }.first
  }

  func note(_ newest: NewestUpdate, of id: AlertID) throws {
    try statement("UPDATE alerts SET update_id = ?, update_body = ? WHERE id = ?").run(
      SQLiteValue(newest.id), .text(MutationBody.text(of: .updateAlert(newest.update))), SQLiteValue(id))
  }

  /// Shows the end of which the server told while an update waited, unless another one waits.
  func releaseHeldEnd(of id: AlertID) throws {
    guard try !hasPendingUpdate(of: id) else { return }
    try statement(
      """
      UPDATE alerts SET ended_at = held_end_at, end_accepted_at = held_end_accepted_at, held_end_at = NULL,
        held_end_accepted_at = NULL
      WHERE id = ? AND held_end_at IS NOT NULL
      """
    ).run(SQLiteValue(id))
  }

  /// An end that was made here without knowing of a newer call for help is no end: the alert is active again.
  ///
  /// - Parameter newest: the update that the next end is to name as seen. What it says is not known here: the words that are
  ///   known stay under their own id, for a server that has lost them.
  func takeBackEnd(of id: AlertID, newest: MutationID?) throws {
    let known = try knownUpdate(of: id)
    try keepSequences()
    try statement("DELETE FROM pending_mutations WHERE entity_id = ? AND kind = 'alert.deactivate'").run(
      SQLiteValue(id))
    try statement("DELETE FROM pending_notifications WHERE alert_id = ? AND kind = 'deactivated'").run(SQLiteValue(id))
    try statement(
      """
      UPDATE alerts SET ended_at = NULL, end_accepted_at = NULL, end_discarded_at = NULL,
        update_id = coalesce(?, update_id), update_body = coalesce(?, update_body)
      WHERE id = ?
      """
    ).run(SQLiteValue(newest?.description), SQLiteValue(known?.storedBody), SQLiteValue(id))
  }
}
