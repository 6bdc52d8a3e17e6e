import Model
import SQLiteKit

// What responders are still to be told of alerts that are offered again, inside a write transaction.
extension Connection {
  /// Whether some responder was sent "help", or was about to be, and as far as the server said not that it is over.
  func hasUntoldEnd(_ id: AlertID) throws -> Bool {
    try statement(
      """
      SELECT 1 FROM receipts AS help
      WHERE alert_id = ? AND notice = 'activated' AND state <> 'failed' AND NOT EXISTS (
        SELECT 1 FROM receipts AS safe
        WHERE safe.alert_id = help.alert_id AND safe.contact_id = help.contact_id AND safe.channel = help.channel
          AND safe.notice = 'deactivated' AND safe.state <> 'queued')
      LIMIT 1
      """
    ).first(SQLiteValue(id)) { _ in true } ?? false
  }

  /// Takes out the requests to tell of the alert's end, which a new one is to follow, and lets a refused one before them,
  /// which would hold it back, be tried again.
  func makeWayForEnd(of id: AlertID, _ identifiers: IdentifierSource) throws {
    try keepSequences()
    try statement("DELETE FROM pending_notifications WHERE alert_id = ? AND kind = 'deactivated'").run(SQLiteValue(id))
    let parked = try statement(
      "SELECT sequence FROM pending_notifications WHERE alert_id = ? AND parked_at IS NOT NULL"
    )
    .all(SQLiteValue(id)) { $0.integer(0) }
    for sequence in parked { try unparkNotification(sequence, as: identifiers.next()) }
  }

  /// Whether a request to tell of it waits here.
  func hasUntoldNotice(_ id: AlertID) throws -> Bool {
    try statement("SELECT 1 FROM pending_notifications WHERE alert_id = ? LIMIT 1")
      .first(SQLiteValue(id)) { _ in true } ?? false
  }

  /// Tries again, as another one to the server, what a restored server refused because it did not know the alert: by now it
  /// does, from this device or from another one of the account.
  func unparkMutation(_ sequence: Int64, as id: MutationID) throws {
    try statement(
      """
      UPDATE pending_mutations SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
        next_attempt_at = 0, last_error = NULL
      WHERE sequence = ?
      """
    ).run(SQLiteValue(id), .integer(sequence))
  }

  /// The same for a request.
  func unparkNotification(_ sequence: Int64, as id: NotificationID) throws {
    try statement(
      """
      UPDATE pending_notifications SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
        next_attempt_at = 0, last_error = NULL
      WHERE sequence = ?
      """
    ).run(SQLiteValue(id), .integer(sequence))
  }

  /// After a salvage: queues a request behind each alert's mutation that has none. That a person discarded one is not known
  /// any more; to be told once too often is the lesser harm.
  func queueLostRequests(at moment: Moment, random: @escaping @Sendable () -> (UInt64, UInt64)) throws {
    let identifiers = IdentifierSource(moment: moment, random: random)
    let untold = try statement(
      """
      SELECT sequence, entity_id, iif(kind = 'alert.activate', 'activated', 'deactivated') AS notice
      FROM pending_mutations
      WHERE lane = 'emergency' AND EXISTS (SELECT 1 FROM alerts WHERE id = entity_id)
        AND NOT EXISTS (SELECT 1 FROM pending_notifications n WHERE n.alert_id = entity_id AND n.kind = notice)
        AND NOT EXISTS (SELECT 1 FROM pending_notifications n WHERE n.sequence = pending_mutations.sequence)
      ORDER BY sequence
      """
    ).all { row -> (sequence: Int64, alert: AlertID, notice: Notice) in
      (row.integer(0), try row.identifier(1), try row.enumeration(2))
    }
    for request in untold {
      try queue(
        NotificationRequest(id: identifiers.next(), alertID: request.alert, notice: request.notice),
        behind: request.sequence, at: moment)
    }
  }
}
