package import Model
import SQLiteKit
package import ServerCore
import Wire

extension SQLiteServerTransaction {
  package func alert(_ id: AlertID, of account: AccountID) throws(StorageError) -> StoredAlert? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, ordinal, started_at, ended_at, message, latitude, longitude, drill, received_at, end_received_at,
          account_id, device_id, utc_offset_minutes, notified_at, update_count, update_id, update_at, update_message,
          update_latitude, update_longitude, update_accuracy_m, update_battery_percent,
          corrected_started_at, corrected_ended_at FROM alerts WHERE account_id = ? AND id = ?
        """
      )
      try statement.bind(SQLiteValue(account), SQLiteValue(id))
      return try statement.firstRow { () throws(SQLiteError) in try storedAlert(statement) }
    }
  }

  package func insertAlert(_ alert: StoredAlert) throws(StorageError) -> Bool {
    try storing { () throws(SQLiteError) in
      let record = alert.record
      try connection.statement(
        """
        INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, ended_at, message, latitude, longitude, drill,
          utc_offset_minutes, received_at, end_received_at, notified_at, corrected_started_at, corrected_ended_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (account_id, id) DO NOTHING
        """
      ).run(
        SQLiteValue(alert.account), SQLiteValue(alert.id), .integer(record.ordinal), SQLiteValue(alert.device),
        SQLiteValue(record.alert.startedAt), SQLiteValue(record.alert.endedAt), SQLiteValue(record.alert.message),
        SQLiteValue(record.alert.location?.latitude), SQLiteValue(record.alert.location?.longitude),
        SQLiteValue(record.alert.isDrill), SQLiteValue(alert.utcOffsetMinutes.map(Int64.init)),
        SQLiteValue(record.receivedAt), SQLiteValue(record.endReceivedAt), SQLiteValue(alert.notifiedAt),
        SQLiteValue(alert.correctedStartedAt), SQLiteValue(alert.correctedEndedAt))
      return connection.changedRows > 0
    }
  }

  package func endAlert(
    _ id: AlertID, of account: AccountID, endedAt: Timestamp, correctedAt: Timestamp?, receivedAt: Timestamp
  ) throws(StorageError) -> Bool {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        UPDATE alerts SET ended_at = ?, end_received_at = ?, corrected_ended_at = ?
        WHERE account_id = ? AND id = ? AND ended_at IS NULL
        """
      ).run(
        SQLiteValue(endedAt), SQLiteValue(receivedAt), SQLiteValue(correctedAt), SQLiteValue(account), SQLiteValue(id))
      return connection.changedRows > 0
    }
  }

  package func setNotified(_ id: AlertID, of account: AccountID, at time: Timestamp) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE alerts SET notified_at = ? WHERE account_id = ? AND id = ?")
        .run(SQLiteValue(time), SQLiteValue(account), SQLiteValue(id))
    }
  }

  package func hasActiveAlert(account: AccountID) throws(StorageError) -> Bool {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        // Left to itself, SQLite would look through all alerts of the account.
        "SELECT EXISTS (SELECT 1 FROM alerts INDEXED BY alerts_active WHERE account_id = ? AND ended_at IS NULL)")
      try statement.bind(SQLiteValue(account))
      return try statement.firstRow { () throws(SQLiteError) in statement.boolean(0) } ?? false
    }
  }

  func storedAlert(_ statement: Statement) throws(SQLiteError) -> StoredAlert {
    var record = try statement.alertRecord(from: 0)
    record.newestUpdate = try statement.newestUpdate(from: 15)
    var alert = StoredAlert(
      account: try statement.identifier(10), record: record, device: try statement.identifier(11),
      utcOffsetMinutes: statement.optionalInteger(12).map(Int.init), notifiedAt: statement.optionalTimestamp(13))
    alert.updateCount = Int(statement.integer(14))
    alert.correctedStartedAt = statement.optionalTimestamp(22)
    alert.correctedEndedAt = statement.optionalTimestamp(23)
    return alert
  }
}
