import Model
import SQLiteKit
import Wire

// What the server made of an update.
extension ExchangeApplier {
  /// The server took the update, or had taken it before. An end of which it told meanwhile came after that.
  func takeUp(
    _ mutation: SyncRequestWriter.QueuedMutation, _ result: ItemResult, _ connection: Connection
  ) throws {
    let id = AlertID(mutation.entityID)
    try connection.statement(
      """
      UPDATE presses SET accepted_at = ?1 WHERE alert_id = ?2 AND accepted_at IS NULL
        AND number <= (SELECT number FROM presses WHERE mutation_id = ?3)
      """
    ).run(
      SQLiteValue(result.appliedAt ?? response.serverTime), SQLiteValue(id), SQLiteValue(mutation.id))
    let known = try connection.knownUpdate(of: id)
    if let update = try? AlertUpdate(storedBody: mutation.body) {
      try connection.note(NewestUpdate(id: mutation.id, update: update.over(known?.update)), of: id)
    }
    if !movesCursor, result.status == .applied, known?.id != mutation.id { try connection.forgetNaming(of: id) }
    try connection.releaseHeldEnd(of: id)
  }

  /// The server will not take the update, whatever the reason: the press becomes an alert of its own. It is never parked, since
  /// nobody looks at a queue in danger.
  ///
  /// Where the person ended the alert here after the press, the new one has ended too, and its responders hear of both.
  func raiseAnew(
    _ mutation: SyncRequestWriter.QueuedMutation, _ result: ItemResult, _ connection: Connection
  ) throws {
    let old = AlertID(mutation.entityID)
    let identifiers = IdentifierSource(moment: moment, random: random)
    guard let former = try connection.alertRow(old) else { return }
    let wasEndedHere = former.endedAt != nil
    try connection.noteEnd(of: old, result.endedAt, at: response.serverTime)
    guard let raised = try connection.raisedAnew(by: mutation, isDrill: former.isDrill, identifiers) else { return }
    if try !connection.hasAlert(raised.id) { try connection.insert(raised, at: moment) }
    try connection.statement(
      """
      UPDATE presses SET alert_id = ?1 WHERE alert_id = ?2 AND accepted_at IS NULL
        AND number <= (SELECT number FROM presses WHERE mutation_id = ?3)
      """
    ).run(SQLiteValue(raised.id), SQLiteValue(old), SQLiteValue(mutation.id))
    guard wasEndedHere, let endedAt = former.endedAt else { return }
    var ended = raised.alert
    ended.end(at: endedAt)
    try connection.statement("UPDATE alerts SET ended_at = ? WHERE id = ?")
      .run(SQLiteValue(endedAt), SQLiteValue(raised.id))
    try connection.queueEnd(of: ended, identifiers: identifiers, isNotified: true)
  }

}

extension Connection {
  /// The alert of its own that an update becomes; nil where it cannot be read.
  func raisedAnew(
    by mutation: SyncRequestWriter.QueuedMutation, isDrill: Bool, _ identifiers: IdentifierSource
  ) throws -> RaisedAlert? {
    guard let update = try? AlertUpdate(storedBody: mutation.body) else { return nil }
    let press = try statement(
      "SELECT id, notification_id, utc_offset_minutes, started_monotonic FROM presses WHERE mutation_id = ?"
    ).allReadable(SQLiteValue(mutation.id)) { row in
      (
        id: try row.identifier(0) as AlertID, notification: try row.identifier(1) as NotificationID,
        offset: row.optionalInteger(2).map(Int.init), monotonic: row.integer(3)
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

  fileprivate func alertRow(_ id: AlertID) throws -> Alert? {
    try statement(
      "SELECT id, started_at, ended_at, message, latitude, longitude, drill FROM alerts WHERE id = ?"
    ).first(SQLiteValue(id)) { try $0.alert() }
  }

  /// The next whole pull is to name the alert anew, with what the server has taken since, or all of it is offered again.
  fileprivate func forgetNaming(of id: AlertID) throws {
    try statement("UPDATE alerts SET server_epoch = '' WHERE id = ? AND server_epoch IS NOT NULL").run(SQLiteValue(id))
  }

  /// Notes that the server has the alert as ended, where it says so: by this answer, or by a change while the update waited. It
  /// is not shown while an update waits.
  func noteEnd(of id: AlertID, _ endedAt: Timestamp?, at serverTime: Timestamp) throws {
    if let endedAt {
      try statement(
        """
        UPDATE alerts SET held_end_at = coalesce(held_end_at, ?1), held_end_accepted_at = coalesce(held_end_accepted_at, ?2)
        WHERE id = ?3 AND end_accepted_at IS NULL
        """
      ).run(SQLiteValue(endedAt), SQLiteValue(serverTime), SQLiteValue(id))
    }
    try releaseHeldEnd(of: id)
  }
}
