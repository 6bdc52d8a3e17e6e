import Model
import SQLiteKit
import ServerCore

// Further calls for help while an alert was active.
extension SQLiteServerTransaction {
  func insertUpdate(_ update: StoredUpdate) throws(SQLiteError) {
    let body = update.update
    try connection.statement(
      """
      INSERT INTO alert_updates (account_id, alert_id, number, mutation_id, device_id, at, message, latitude, longitude,
        accuracy_m, battery_percent, received_at, is_call)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(update.account), SQLiteValue(update.alert), .integer(Int64(update.number)), SQLiteValue(update.id),
      SQLiteValue(update.device), SQLiteValue(body.at), SQLiteValue(body.message),
      SQLiteValue(body.location?.latitude), SQLiteValue(body.location?.longitude), SQLiteValue(body.accuracyMeters),
      SQLiteValue(body.batteryPercent.map(Int64.init)), SQLiteValue(update.receivedAt),
      SQLiteValue(body.isCall))
  }

  func newestPlace(of alert: AlertID, account: AccountID) throws(StorageError) -> NewestPlace? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT number, at FROM alert_updates INDEXED BY alert_updates_with_place
        WHERE account_id = ? AND alert_id = ? AND latitude IS NOT NULL
        ORDER BY number DESC LIMIT 1
        """
      ).row(SQLiteValue(account), SQLiteValue(alert)) { row throws(SQLiteError) in
        NewestPlace(update: try row["number"], at: try row["at"])
      }
    }
  }

  /// Whether another device called for help again after the newest update that was seen. Unknown updates are ignored.
  func hasUpdate(after seen: SeenUpdates, account: AccountID) throws(StorageError) -> Bool {
    try storing { () throws(SQLiteError) in
      var number: Int64 = 0
      for id in seen.updates {
        let found: Int64? = try connection.statement(
          "SELECT number FROM alert_updates WHERE account_id = ? AND alert_id = ? AND mutation_id = ?"
        ).value(SQLiteValue(account), SQLiteValue(seen.alert), SQLiteValue(id))
        number = max(number, found ?? 0)
      }
      return try connection.statement(
        """
        SELECT EXISTS (SELECT 1 FROM alert_updates INDEXED BY alert_updates_with_call
          WHERE account_id = ? AND alert_id = ? AND number > ? AND is_call = 1 AND device_id <> ?)
        """
      ).value(SQLiteValue(account), SQLiteValue(seen.alert), .integer(number), SQLiteValue(seen.device)) ?? false
    }
  }
}
