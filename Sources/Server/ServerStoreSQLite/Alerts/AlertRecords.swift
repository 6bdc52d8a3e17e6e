package import Model
import SQLiteKit
package import ServerCore
import Wire

extension SQLiteServerTransaction {
  package func alert(_ id: AlertID, of account: AccountID) throws(StorageError) -> StoredAlert? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, ordinal, started_at, ended_at, message, latitude, longitude, drill, received_at, end_received_at,
          account_id, device_id, utc_offset_minutes, notified_at, update_count, update_id, update_at, update_message,
          update_latitude, update_longitude, update_accuracy_m, update_battery_percent,
          corrected_started_at, corrected_ended_at, asking_phase, asking_round, asking_tier, asking_due_at,
          silence_due_at, silent_since, only_contact, forgotten FROM alerts WHERE account_id = ? AND id = ?
        """
      ).row(SQLiteValue(account), SQLiteValue(id), row: StoredAlert.init(row:))
    }
  }

  /// Inserts a new alert.
  func insertAlert(_ alert: StoredAlert) throws(SQLiteError) {
    let record = alert.record
    try connection.statement(
      """
      INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, message, latitude, longitude, drill,
        utc_offset_minutes, received_at, corrected_started_at, only_contact)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(alert.account), SQLiteValue(alert.id), .integer(record.ordinal), SQLiteValue(alert.device),
      SQLiteValue(record.alert.startedAt), SQLiteValue(record.alert.message),
      SQLiteValue(record.alert.location?.latitude), SQLiteValue(record.alert.location?.longitude),
      SQLiteValue(record.alert.isDrill), SQLiteValue(alert.utcOffsetMinutes.map(Int64.init)),
      SQLiteValue(record.receivedAt), SQLiteValue(alert.correctedStartedAt),
      SQLiteValue(record.alert.onlyContact))
    if alert.notifiedAt != nil || !record.alert.isActive || alert.updateCount > 0 { try updateAlert(alert) }
  }

  /// Writes everything that can change in an alert.
  func updateAlert(_ alert: StoredAlert) throws(SQLiteError) {
    let record = alert.record
    let update = record.newestUpdate?.update
    try connection.statement(
      """
      UPDATE alerts SET ended_at = ?, end_received_at = ?, corrected_ended_at = ?, notified_at = ?, update_count = ?,
        update_id = ?, update_at = ?, update_message = ?, update_latitude = ?, update_longitude = ?,
        update_accuracy_m = ?, update_battery_percent = ?, asking_phase = ?, asking_round = ?, asking_tier = ?,
        asking_due_at = ?, silence_due_at = ?, silent_since = ?
      WHERE account_id = ? AND id = ?
      """
    ).run(
      SQLiteValue(record.alert.endedAt), SQLiteValue(record.endReceivedAt), SQLiteValue(alert.correctedEndedAt),
      SQLiteValue(alert.notifiedAt), .integer(Int64(alert.updateCount)),
      SQLiteValue((record.newestUpdate?.id).map(\.description)), SQLiteValue(update?.at), SQLiteValue(update?.message),
      SQLiteValue(update?.location?.latitude), SQLiteValue(update?.location?.longitude),
      SQLiteValue(update?.accuracyMeters), SQLiteValue((update?.batteryPercent).map(Int64.init)),
      SQLiteValue(alert.asking?.phase.rawValue), .integer(Int64(alert.asking?.round ?? 0)),
      .integer(Int64(alert.asking?.tier ?? 1)), SQLiteValue(alert.asking?.dueAt),
      SQLiteValue(alert.silenceDueAt), SQLiteValue(alert.silentSince), SQLiteValue(alert.account),
      SQLiteValue(alert.id))
  }
}
