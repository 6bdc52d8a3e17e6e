package import Model
import PlantedBugs
import SQLiteKit
import Wire

extension LocalStore {
  /// Raises an alert: its row, its mutation and its notification request in one transaction. Returns when it is durable.
  ///
  /// Where one is active already, that one is returned and none is stored; a drill never stands in for a real alert. What
  /// the server had refused of it is offered anew, under new ids.
  /// Where the store cannot take it by the deadline, the alert goes to the spool, and the store's error is thrown only where
  /// that fails too.
  ///
  /// - Parameters:
  ///   - deadline: for all that it has to wait for together; nil: the options' timeout.
  ///   - noteSpooling: told why the alert goes to the spool.
  package func activateAlert(
    _ draft: AlertDraft, at moment: Moment, until deadline: Deadline? = nil,
    noteSpooling: (LocalStoreError) -> Void = { _ in }
  ) throws(LocalStoreError) -> Activation {
    let deadline = deadline ?? options.activationDeadline
    takeInSpool(at: moment, until: deadline)
    let raised = RaisedAlert(draft, at: moment, random: options.random)
    var standing: Alert?
    do throws(LocalStoreError) {
      return try writeAndPoke(
        until: deadline,
        isDurable: { connection in
          if let standing { return try connection.hasAlert(standing.id) }
          return try connection.hasTrace(of: raised)
        }
      ) { connection in
        standing = nil
        if let active = try connection.activeAlert(standingInForDrill: draft.isDrill) {
          if try !connection.unparkActivation(of: active.id, as: raised) {
            standing = active
            // Whoever raised it may have been killed before its commit was synced: only a commit that writes is, and the log
            // before it.
            try connection.setValue(raised.mutationID.description, for: .writeMark)
          }
          return Activation(alert: active, alreadyActive: true, isSpooled: false)
        }
        try connection.insert(raised, at: moment)
        return Activation(alert: raised.alert, alreadyActive: false, isSpooled: false)
      }
    } catch {
      noteSpooling(error)
      // The alert may be in the store all the same: the spool's file has its id, and is taken in once.
      let spooled = standing.map { raised.standing(for: $0) } ?? raised
      do throws(LocalStoreError) {
        let taken = try Spool.activate(spooled, home: home, isTakenIn: { id in (try? has(id)) ?? false })
        return Activation(
          alert: taken.alert, alreadyActive: taken.alreadyActive || standing != nil, isSpooled: true)
      } catch _ {
        throw standing == nil ? error : error.ofStandingAlert
      }
    }
  }

  private func has(_ id: AlertID) throws(LocalStoreError) -> Bool {
    try file.read { try $0.hasAlert(id) }
  }

  /// Ends every active alert and gives them, ended; empty where none is active.
  ///
  /// An end whose mutation a person had discarded is queued again, and its alert is not counted.
  package func deactivateAlerts(at moment: Moment) throws(LocalStoreError) -> [Alert] {
    let deadline = Deadline(millisecondsFromNow: options.lockTimeoutMilliseconds)
    takeInSpool(at: moment, until: deadline)
    let identifiers = identifiers(at: moment)
    return try writeAndPoke(until: deadline) { connection in
      let ended = try connection.endActiveAlerts(at: moment.wall)
      if PlantedBug.mutationApart.isPlanted { try connection.beginAnotherTransaction() }
      for alert in try ended + connection.takeUpDiscardedEnds() {
        try connection.queueEnd(of: alert, identifiers: identifiers, isNotified: true)
      }
      return ended
    }
  }
}

extension LocalStoreError {
  /// Of an alert that is in the store, where neither the store nor the spool could take it once more.
  fileprivate var ofStandingAlert: LocalStoreError {
    LocalStoreError(
      code, "\(message). An alert is active in it already, but whether it stays cannot be made certain now")
  }
}

extension Connection {
  /// The active alert that an activation would repeat, a real one first. A drill repeats any; a real alert only a real one.
  /// None that a sign-out under way is about to remove.
  fileprivate func activeAlert(standingInForDrill isDrill: Bool) throws -> Alert? {
    try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL AND drill <= ?
        AND NOT EXISTS (SELECT 1 FROM sync_state WHERE key = 'signing_out' AND instr(value, alerts.id) > 0)
      ORDER BY drill, list_order LIMIT 1
      """
    ).first(SQLiteValue(isDrill)) { try $0.alert() }
  }

  func hasActiveAlert() throws -> Bool {
    try statement(
      "SELECT 1 FROM alerts INDEXED BY alerts_active WHERE ended_at IS NULL AND discarded_at IS NULL LIMIT 1"
    ).first { _ in true } ?? false
  }

  /// Raising an alert anew is a person's word that a refusal of it is not to stand: its parked activation and its parked
  /// request are queued again in their places, under the ids that a new alert would have had. False where nothing was parked.
  fileprivate func unparkActivation(of id: AlertID, as raised: RaisedAlert) throws -> Bool {
    try statement(
      """
      UPDATE pending_mutations SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
        next_attempt_at = 0, last_error = NULL
      WHERE entity_id = ? AND kind = 'alert.activate' AND parked_at IS NOT NULL
      """
    ).run(SQLiteValue(raised.mutationID), SQLiteValue(id))
    var unparked = changedRows
    try statement(
      """
      UPDATE pending_notifications SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL,
        attempts = 0, next_attempt_at = 0, last_error = NULL
      WHERE alert_id = ? AND kind = 'activated' AND parked_at IS NOT NULL
      """
    ).run(SQLiteValue(raised.notificationID), SQLiteValue(id))
    unparked += changedRows
    if unparked > 0 { try makeDue(.emergency) }
    return unparked > 0
  }

  /// Whether raising the alert left something: the alert, or its ids on what had been parked.
  fileprivate func hasTrace(of raised: RaisedAlert) throws -> Bool {
    try statement(
      """
      SELECT EXISTS (SELECT 1 FROM alerts WHERE id = ?) OR EXISTS (SELECT 1 FROM pending_mutations WHERE id = ?)
        OR EXISTS (SELECT 1 FROM pending_notifications WHERE id = ?)
      """
    ).first(SQLiteValue(raised.id), SQLiteValue(raised.mutationID), SQLiteValue(raised.notificationID)) {
      $0.boolean(0)
    } ?? false
  }

  /// Sets the end of every active alert, and gives them.
  fileprivate func endActiveAlerts(at time: Timestamp) throws -> [Alert] {
    let ended = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL ORDER BY list_order
      """
    ).all { row in
      var alert = try row.alert()
      alert.end(at: time)
      return alert
    }
    for alert in ended {
      try statement("UPDATE alerts SET ended_at = ? WHERE id = ?").run(SQLiteValue(time), SQLiteValue(alert.id))
    }
    return ended
  }

  /// Alerts that ended here, of whose end the server was never to hear, and which it has as active.
  fileprivate func takeUpDiscardedEnds() throws -> [Alert] {
    let alerts = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_end_discarded
      WHERE end_discarded_at IS NOT NULL AND end_accepted_at IS NULL AND discarded_at IS NULL ORDER BY list_order
      """
    ).all { try $0.alert() }
    guard !alerts.isEmpty else { return [] }
    try statement("UPDATE alerts SET end_discarded_at = NULL WHERE end_discarded_at IS NOT NULL").run()
    return alerts
  }

  /// Queues the end of an alert that has ended, and the wish that responders be told.
  func queueEnd(of alert: Alert, identifiers: IdentifierSource, isNotified: Bool) throws {
    guard let endedAt = alert.endedAt else { return }
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(alert.id), occurredAt: endedAt,
      change: .deactivateAlert(AlertDeactivation(endedAt: endedAt)))
    let sequence = try queue(mutation, at: identifiers.moment)
    guard isNotified else { return }
    let notification = NotificationRequest(id: identifiers.next(), alertID: alert.id, notice: .deactivated)
    try queue(notification, behind: sequence, at: identifiers.moment)
  }
}
