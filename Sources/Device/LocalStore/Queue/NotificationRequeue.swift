import Model
import SQLiteKit

// What responders are still to be told of alerts that are queued again.

extension StoreReading {
  /// Whether a responder was sent "help", or was about to be, and was not told, as far as the server said, that it is over.
  func hasUntoldEnd(_ id: AlertID) throws -> Bool {
    try hasRow(
      """
      SELECT 1 FROM receipts AS help
      WHERE alert_id = ? AND notice = 'activated' AND state <> 'failed' AND NOT EXISTS (
        SELECT 1 FROM receipts AS safe
        WHERE safe.alert_id = help.alert_id AND safe.contact_id = help.contact_id AND safe.channel = help.channel
          AND safe.notice = 'deactivated' AND safe.state <> 'queued')
      LIMIT 1
      """, SQLiteValue(id))
  }

  /// Whether a notification request of the alert is queued.
  func hasPendingNotification(_ id: AlertID) throws -> Bool {
    try hasRow("SELECT 1 FROM pending_notifications WHERE alert_id = ? LIMIT 1", SQLiteValue(id))
  }
}

extension StoreTransaction {
  /// Removes the requests to notify of the alert's end, which a new one follows, and unparks the ones before them, which would hold the
  /// new one back.
  func clearWayForEnd(of id: AlertID, _ identifiers: IdentifierSource) throws {
    try keepSequences()
    try run("DELETE FROM pending_notifications WHERE alert_id = ? AND kind = 'deactivated'", SQLiteValue(id))
    let parked = try rows(
      "SELECT sequence FROM pending_notifications WHERE alert_id = ? AND parked_at IS NOT NULL", SQLiteValue(id)
    ) { row in try row["sequence", as: Int64.self] }
    for sequence in parked { try unparkNotification(sequence, as: identifiers.next()) }
  }

  /// Retries a mutation, under a new id, that a restored server refused because it did not know the alert: by now it does, from this
  /// device or from another one of the account.
  func unparkMutation(_ sequence: Int64, as id: MutationID) throws {
    try run(
      """
      UPDATE pending_mutations SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
        next_attempt_at = 0, last_error = NULL
      WHERE sequence = ?
      """, SQLiteValue(id), .integer(sequence))
  }

  /// The same for a notification request.
  func unparkNotification(_ sequence: Int64, as id: NotificationID) throws {
    try run(
      """
      UPDATE pending_notifications SET id = ?, parked_at = NULL, parked_code = NULL, parked_message = NULL, attempts = 0,
        next_attempt_at = 0, last_error = NULL
      WHERE sequence = ?
      """, SQLiteValue(id), .integer(sequence))
  }

  /// After a salvage: queues a request behind each activation and each end that has none. Whether a person discarded one is not known any
  /// more; notifying responders once too often is the lesser harm. A further call has no request: the server notifies of it unasked.
  func requeueLostNotifications(_ identifiers: IdentifierSource) throws {
    let untold = try rows(
      """
      SELECT sequence, entity_id, iif(kind = 'alert.activate', 'activated', 'deactivated') AS notice
      FROM pending_mutations
      WHERE kind IN ('alert.activate', 'alert.deactivate') AND EXISTS (SELECT 1 FROM alerts WHERE id = entity_id)
        AND NOT EXISTS (SELECT 1 FROM pending_notifications n WHERE n.alert_id = entity_id AND n.kind = notice)
        AND NOT EXISTS (SELECT 1 FROM pending_notifications n WHERE n.sequence = pending_mutations.sequence)
      ORDER BY sequence
      """
    ) { row in
      (
        sequence: try row["sequence", as: Int64.self], alert: try row["entity_id", as: AlertID.self],
        notice: try row.choice("notice", as: Notice.self)
      )
    }
    for request in untold {
      try enqueue(
        NotificationRequest(id: identifiers.next(), alertID: request.alert, notice: request.notice),
        behind: request.sequence, at: identifiers.moment)
    }
  }
}
