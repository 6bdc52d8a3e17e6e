package import Model
import PlantedBugs
import SQLiteKit
package import SystemKit
import Wire

extension LocalStore {
  /// Raises an alert: its row, its mutation and its notification request in one transaction. Returns when it is durable.
  ///
  /// Where one is active already, that one is returned, and the press is queued as an update of it; a drill never stands in for
  /// a real alert. Where the store cannot take it by the deadline, the press goes to the spool, and the store's error is thrown
  /// only where that fails too.
  ///
  /// - Parameters:
  ///   - deadline: for all that it has to wait for together; nil: the options' timeout.
  ///   - noteSpooling: told why the press goes to the spool.
  package func activateAlert(
    _ draft: AlertDraft, at moment: Moment, until deadline: Deadline? = nil,
    noteSpooling: (LocalStoreError) -> Void = { _ in }
  ) throws(LocalStoreError) -> Activation {
    let deadline = deadline ?? options.activationDeadline
    // An end that could not be taken in now was made before this call: it is not to end it later.
    let ends = takeInSpool(at: moment, until: deadline) ? [] : waitingAlerts().ends
    let raised = RaisedAlert(draft, at: moment, random: options.random)
    var standing: Activation?
    do throws(LocalStoreError) {
      return try writeAndPoke(until: deadline, isDurable: { try $0.hasPress(standing?.press ?? raised.id) }) {
        connection in
        standing = nil
        let activation = try connection.take(raised, at: moment, random: options.random, besides: ends)
        if activation.alreadyActive { standing = activation }
        return activation
      }
    } catch {
      noteSpooling(error)
      // The press may be in the store all the same: the spool's file has its id, and is taken in once.
      do throws(LocalStoreError) {
        // A store that cannot be read may know that the alert of a file has ended: such a file must not stand for a new call.
        let taken = try Spool.activate(
          raised, home: home, isOver: { id in ends.end(of: id) != nil || (try? has(id)) ?? true })
        var activation = Activation(
          alert: standing?.alert ?? taken.alert, alreadyActive: taken.alreadyActive || standing != nil, isSpooled: true,
          press: taken.press)
        activation.isCallSaved = taken.isCallSaved
        return activation
      } catch _ {
        throw standing == nil ? error : error.ofStandingAlert
      }
    }
  }

  private func has(_ id: AlertID) throws(LocalStoreError) -> Bool {
    try file.read { try $0.hasPress(id) }
  }

  /// The alerts that `deactivateAlerts` would end, in the order in which they were raised.
  package func activeAlerts() throws(LocalStoreError) -> [Alert] {
    let outside = waitingAlerts()
    return try file.read { connection in
      let inStore = try connection.activeAlertsInOrder().map(outside.ends.applied)
      let waiting = try outside.alerts.filter { try !connection.hasPress($0.id) }
      return (inStore + waiting).filter(\.isActive).sorted { $0.startedAt < $1.startedAt }
    }
  }

  /// Alerts that ended here, and of whose end the server will not hear because a person discarded it: `deactivateAlerts` sends it
  /// again.
  package func discardedEnds() throws(LocalStoreError) -> [Alert] {
    try file.read { try $0.discardedEnds() }
  }

  /// Alerts that ended here, and of whose end the server has not heard yet: it waits to be sent, or the server refused it.
  package func unsentEnds() throws(LocalStoreError) -> [Alert] {
    try file.read { try $0.unsentEnds() }
  }

  /// Ends every active alert and gives them, ended; empty where none is active.
  ///
  /// An end whose mutation a person had discarded is queued again, and its alert is not counted. Throws, with nothing ended, where
  /// an alert waits outside that the store cannot take in, and where nobody can say whether one does.
  package func deactivateAlerts(at moment: Moment) throws(LocalStoreError) -> [Alert] {
    let deadline = Deadline(millisecondsFromNow: options.lockTimeoutMilliseconds)
    let obstacle = try takeInWhatIsToEnd(at: moment, until: deadline)
    let identifiers = identifiers(at: moment)
    let (ended, isAnyQueued) = try writeAndPoke(until: deadline) { connection in
      let ended = try connection.endActiveAlerts(at: moment.wall)
      if PlantedBug.mutationApart.isPlanted { try connection.beginAnotherTransaction() }
      let queued = try ended + connection.takeUpDiscardedEnds()
      for alert in queued { try connection.queueEnd(of: alert, identifiers: identifiers, isNotified: true) }
      return (ended, !queued.isEmpty)
    }
    // Nobody may say that none is active where nobody could look.
    if !isAnyQueued, let obstacle { throw obstacle }
    return ended
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
  func hasActiveAlert() throws -> Bool {
    try statement(
      "SELECT 1 FROM alerts INDEXED BY alerts_active WHERE ended_at IS NULL AND discarded_at IS NULL LIMIT 1"
    ).first { _ in true } ?? false
  }

  fileprivate func activeAlertsInOrder() throws -> [Alert] {
    try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL ORDER BY list_order
      """
    ).all { try $0.alert() }
  }

  /// Sets the end of every active alert, and gives them.
  fileprivate func endActiveAlerts(at time: Timestamp) throws -> [Alert] {
    let ended = try activeAlertsInOrder().map { active in
      var alert = active
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
    let alerts = try discardedEnds()
    guard !alerts.isEmpty else { return [] }
    try statement("UPDATE alerts SET end_discarded_at = NULL WHERE end_discarded_at IS NOT NULL").run()
    return alerts
  }

  fileprivate func discardedEnds() throws -> [Alert] {
    try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_end_discarded
      WHERE end_discarded_at IS NOT NULL AND end_accepted_at IS NULL AND discarded_at IS NULL ORDER BY list_order
      """
    ).all { try $0.alert() }
  }

  fileprivate func unsentEnds() throws -> [Alert] {
    try statement(
      """
      SELECT a.id, a.started_at, a.ended_at, a.message, a.latitude, a.longitude, a.drill
      FROM pending_mutations m CROSS JOIN alerts a ON a.id = m.entity_id
      WHERE m.sequence < ? AND m.kind = 'alert.deactivate' AND a.ended_at IS NOT NULL ORDER BY m.sequence
      """
    ).all(.firstRoutineSequence) { try $0.alert() }
  }

  /// What an end that is made now is to name: the newest update that this device has heard of. Its own need no name.
  func seenUpdates(of id: AlertID) throws -> [MutationID] {
    try statement("SELECT update_id FROM alerts WHERE id = ? AND update_id IS NOT NULL")
      .allReadable(SQLiteValue(id)) { try $0.identifier(0) }
  }

  /// Queues the end of an alert that has ended, and the wish that responders be told.
  func queueEnd(of alert: Alert, identifiers: IdentifierSource, isNotified: Bool) throws {
    guard let endedAt = alert.endedAt else { return }
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(alert.id), occurredAt: endedAt,
      change: .deactivateAlert(AlertDeactivation(endedAt: endedAt, seenUpdates: try seenUpdates(of: alert.id))))
    let sequence = try queue(mutation, at: identifiers.moment)
    guard isNotified else { return }
    let notification = NotificationRequest(id: identifiers.next(), alertID: alert.id, notice: .deactivated)
    try queue(notification, behind: sequence, at: identifiers.moment)
  }
}
