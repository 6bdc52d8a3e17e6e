package import Model
import PlantedBugs
import SQLiteKit
package import SystemKit
import Wire

extension LocalStore {
  /// Raises an alert: its row, its mutation and its notification request in one transaction. Returns when it is durable.
  ///
  /// If an alert is active already, returns that one, and queues the press as an update of it; a drill never replaces a real alert. If
  /// the store cannot save the press by the deadline, the press goes to the spool; the store's error is thrown only if that fails too.
  ///
  /// - Parameters:
  ///   - deadline: limits all its waits together; nil: the options' timeout.
  ///   - noteSpooling: called with the reason when the press goes to the spool.
  ///   - noteSpoolFailure: called with the reason when the spool cannot take it either, before this throws the store's.
  package func activateAlert(
    _ draft: AlertDraft, at moment: Moment, until deadline: Deadline? = nil,
    noteSpooling: (LocalStoreError) -> Void = { _ in }, noteSpoolFailure: (LocalStoreError) -> Void = { _ in }
  ) throws(LocalStoreError) -> Activation {
    let deadline = deadline ?? options.activationDeadline
    // An end that cannot be imported now was made before this call, and must not end it later.
    let ends = takeInSpool(at: moment, until: deadline) ? [] : waitingAlerts().ends
    let raised = RaisedAlert(draft, at: moment, random: options.random)
    var repeated: Activation?
    do throws(LocalStoreError) {
      return try writeAndPoke(until: deadline, isDurable: { try $0.hasPress(repeated?.press ?? raised.id) }) {
        transaction in
        repeated = nil
        let activation = try transaction.activate(raised, at: moment, random: options.random, besides: ends)
        if activation.alreadyActive { repeated = activation }
        return activation
      }
    } catch {
      noteSpooling(error)
      // The press may be in the store all the same: the spool's file has its id, and is imported once.
      do throws(LocalStoreError) {
        // A store that cannot be read may know that the alert of a file has ended: such a file must not stand for a new call.
        let spooled = try Spool.activate(
          raised, home: home, isOver: { id in ends.end(of: id) != nil || (try? has(id)) ?? true })
        var activation = Activation(
          alert: repeated?.alert ?? spooled.alert, alreadyActive: spooled.alreadyActive || repeated != nil,
          isSpooled: true, press: spooled.press)
        activation.isCallSaved = spooled.isCallSaved
        return activation
      } catch let failure {
        noteSpoolFailure(failure)
        throw repeated == nil ? error : error.whileAlertIsActive
      }
    }
  }

  private func has(_ id: AlertID) throws(LocalStoreError) -> Bool {
    try file.read { try $0.hasPress(id) }
  }

  /// The alerts that `deactivateAlerts` would end, oldest first.
  package func activeAlerts() throws(LocalStoreError) -> [Alert] { try alertsToEnd().map(\.alert) }

  /// The same, with what this device has heard of each: for a person who is asked first.
  package func alertsToEnd() throws(LocalStoreError) -> [AlertToEnd] {
    let outside = waitingAlerts()
    return try file.read { reading in
      let inStore = try reading.activeAlertsInOrder().map(outside.ends.applied)
      let waiting = try outside.alerts.filter { try !reading.hasPress($0.id) }
      return try reading.toEnd((inStore + waiting).filter(\.isActive).sorted { $0.startedAt < $1.startedAt })
    }
  }

  /// Alerts that ended here, and whose end the server will not hear of because a person discarded it: `deactivateAlerts` sends it again.
  package func discardedEnds() throws(LocalStoreError) -> [Alert] {
    try file.read { try $0.discardedEnds() }
  }

  /// Alerts that ended here, and whose end the server does not have yet: it waits to be sent, or the server rejected it.
  package func unsentEnds() throws(LocalStoreError) -> [Alert] {
    try file.read { try $0.unsentEnds() }
  }

  /// Ends every active alert and gives them, ended; empty if none is active.
  ///
  /// Queues again an end that a person had discarded; its alert is not in the result. Throws, with nothing ended, if an alert outside the
  /// store cannot be imported, and if it is unknown whether there is one.
  ///
  /// - Parameter shown: ends these alone, by an end that has seen what was known when they were read; nil ends all that are active now.
  package func deactivateAlerts(
    _ shown: [AlertToEnd]? = nil, at moment: Moment
  ) throws(LocalStoreError) -> [Alert] {
    let seen = shown.map { Dictionary($0.map { ($0.alert.id, $0.seenUpdates) }) { first, _ in first } }
    let deadline = Deadline(millisecondsFromNow: options.lockTimeoutMilliseconds)
    let obstacle = try takeInWhatIsToEnd(at: moment, until: deadline)
    let identifiers = identifiers(at: moment)
    let (ended, isAnyQueued) = try writeAndPoke(until: deadline) { transaction in
      let ended = try transaction.endActiveAlerts(at: moment.wall) { seen?.keys.contains($0) ?? true }
      if PlantedBug.mutationApart.isPlanted { try transaction.beginAnotherTransaction() }
      let queued = try ended + transaction.restoreDiscardedEnds()
      for alert in queued {
        try transaction.enqueueEnd(
          of: alert, seen: seen?[alert.id], identifiers: identifiers, isNotified: true)
      }
      return (ended, !queued.isEmpty)
    }
    // "None is active" may only be said if everything could be read.
    if !isAnyQueued, let obstacle { throw obstacle }
    return ended
  }
}

extension LocalStoreError {
  /// The same, for an alert that is in the store, after neither the store nor the spool could save it again.
  fileprivate var whileAlertIsActive: LocalStoreError {
    LocalStoreError(code, "\(message). An alert is active already, but this device cannot make sure that it stays")
  }
}

// Tests of one responder are no alerts: see `LocalStore.testContact`.
extension StoreReading {
  func hasActiveAlert() throws -> Bool {
    try hasRow(
      """
      SELECT 1 FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL LIMIT 1
      """)
  }

  /// These alerts, with what this device has heard of each.
  func toEnd(_ alerts: [Alert]) throws -> [AlertToEnd] {
    try alerts.map { AlertToEnd(alert: $0, seenUpdates: try seenUpdates(of: $0.id)) }
  }

  fileprivate func activeAlertsInOrder() throws -> [Alert] {
    try rows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_active
      WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL ORDER BY list_order
      """, row: Alert.init(row:))
  }

  fileprivate func discardedEnds() throws -> [Alert] {
    try rows(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts INDEXED BY alerts_end_discarded
      WHERE end_discarded_at IS NOT NULL AND end_accepted_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL
      ORDER BY list_order
      """, row: Alert.init(row:))
  }

  fileprivate func unsentEnds() throws -> [Alert] {
    try rows(
      """
      SELECT a.id, a.started_at, a.ended_at, a.message, a.latitude, a.longitude, a.drill
      FROM pending_mutations m CROSS JOIN alerts a ON a.id = m.entity_id
      WHERE m.sequence < ? AND m.kind = 'alert.deactivate' AND a.ended_at IS NOT NULL AND a.only_contact IS NULL
      ORDER BY m.sequence
      """, .firstRoutineSequence, row: Alert.init(row:))
  }
}

extension StoreTransaction {
  /// Sets the end of the active alerts that are chosen, and gives them.
  fileprivate func endActiveAlerts(at time: Timestamp, where isChosen: (AlertID) -> Bool) throws -> [Alert] {
    let ended = try activeAlertsInOrder().filter { isChosen($0.id) }.map { active in
      var alert = active
      alert.end(at: time)
      return alert
    }
    for alert in ended {
      try run("UPDATE alerts SET ended_at = ? WHERE id = ?", SQLiteValue(time), SQLiteValue(alert.id))
    }
    return ended
  }

  /// Unmarks the ends that a person had discarded, and gives their alerts, which are still active for the server.
  fileprivate func restoreDiscardedEnds() throws -> [Alert] {
    let alerts = try discardedEnds()
    guard !alerts.isEmpty else { return [] }
    try run("UPDATE alerts SET end_discarded_at = NULL WHERE end_discarded_at IS NOT NULL")
    return alerts
  }

  /// Queues the end of an alert that has ended, and the request to notify responders.
  ///
  /// - Parameter seen: the updates that it has seen; nil for what this device has heard of.
  func enqueueEnd(
    of alert: Alert, seen: [MutationID]? = nil, identifiers: IdentifierSource, isNotified: Bool
  ) throws {
    guard let endedAt = alert.endedAt else { return }
    let seen = try seen ?? seenUpdates(of: alert.id)
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(alert.id), occurredAt: endedAt,
      change: .deactivateAlert(AlertDeactivation(endedAt: endedAt, seenUpdates: seen)))
    let sequence = try enqueue(mutation, at: identifiers.moment)
    guard isNotified else { return }
    let notification = NotificationRequest(id: identifiers.next(), alertID: alert.id, notice: .deactivated)
    try enqueue(notification, behind: sequence, at: identifiers.moment)
  }
}
