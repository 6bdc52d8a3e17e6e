package import Model
import SQLiteKit
package import ServerCore

// When to check whether the device that raised an alert has fallen silent, and which are known to have.
extension SQLiteServerTransaction {
  package func alertsToCheckForSilence(
    dueAt now: Timestamp, orAfter latest: Timestamp, limit: Int
  ) throws(StorageError) -> [AccountAlert] {
    let rows = try storing { () throws(SQLiteError) in
      let due = try connection.statement(
        """
        SELECT account_id, id AS alert_id FROM alerts INDEXED BY alerts_silence
        WHERE silence_due_at IS NOT NULL AND silence_due_at <= ? ORDER BY silence_due_at LIMIT ?
        """
      ).rows(SQLiteValue(now), .integer(Int64(limit)), row: AccountAlertRow.init(row:))
      guard due.isEmpty else { return due }
      return try connection.statement(
        """
        SELECT account_id, id AS alert_id FROM alerts INDEXED BY alerts_silence
        WHERE silence_due_at IS NOT NULL AND silence_due_at > ? ORDER BY silence_due_at LIMIT ?
        """
      ).rows(SQLiteValue(latest), .integer(Int64(limit)), row: AccountAlertRow.init(row:))
    }
    for row in rows where row.alert == nil { try endSilenceChecks(row.account, row.id) }
    return rows.compactMap(\.alert)
  }

  package func endSilenceChecks(of alert: AccountAlert) throws(StorageError) {
    try endSilenceChecks(alert.account.description, alert.alert.description)
  }

  private func endSilenceChecks(_ account: String, _ alert: String) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE alerts SET silence_due_at = NULL WHERE account_id = ? AND id = ?")
        .run(.text(account), .text(alert))
    }
  }

  func firstSilenceCheck() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT min(silence_due_at) FROM alerts INDEXED BY alerts_silence WHERE silence_due_at IS NOT NULL"
      ).value()
    }
  }

  func lastSilenceCheck() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT max(silence_due_at) FROM alerts INDEXED BY alerts_silence WHERE silence_due_at IS NOT NULL"
      ).value()
    }
  }

  func silentAlerts(ofDevice device: DeviceID, account: AccountID) throws(StorageError) -> [StoredAlert] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, ordinal, started_at, ended_at, message, latitude, longitude, drill, received_at, end_received_at,
          account_id, device_id, utc_offset_minutes, notified_at, update_count, update_id, update_at, update_message,
          update_latitude, update_longitude, update_accuracy_m, update_battery_percent,
          corrected_started_at, corrected_ended_at, asking_phase, asking_round, asking_tier, asking_due_at,
          silence_due_at, silent_since, only_contact, forgotten FROM alerts INDEXED BY alerts_silent
        WHERE account_id = ? AND device_id = ? AND silent_since IS NOT NULL
        """
      ).rows(SQLiteValue(account), SQLiteValue(device), row: StoredAlert.init(row:))
    }
  }
}
