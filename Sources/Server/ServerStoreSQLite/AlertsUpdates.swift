package import Model
import SQLiteKit
package import ServerCore

// Calls for help that came while an alert was active.
extension SQLiteServerTransaction {
  package func insertUpdate(_ update: StoredUpdate, _ newest: NewestUpdate) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      let body = update.update
      try connection.statement(
        """
        INSERT INTO alert_updates (account_id, alert_id, number, mutation_id, device_id, at, message, latitude, longitude,
          accuracy_m, battery_percent, received_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
      ).run(
        SQLiteValue(update.account), SQLiteValue(update.alert), .integer(Int64(update.number)), SQLiteValue(update.id),
        SQLiteValue(update.device), SQLiteValue(body.at), SQLiteValue(body.message),
        SQLiteValue(body.location?.latitude),
        SQLiteValue(body.location?.longitude), SQLiteValue(body.accuracyMeters),
        SQLiteValue(body.batteryPercent.map(Int64.init)), SQLiteValue(update.receivedAt))
      let shown = newest.update
      try connection.statement(
        """
        UPDATE alerts SET update_count = ?, update_id = ?, update_at = ?, update_message = ?, update_latitude = ?,
          update_longitude = ?, update_accuracy_m = ?, update_battery_percent = ?
        WHERE account_id = ? AND id = ?
        """
      ).run(
        .integer(Int64(update.number)), SQLiteValue(newest.id), SQLiteValue(shown.at), SQLiteValue(shown.message),
        SQLiteValue(shown.location?.latitude), SQLiteValue(shown.location?.longitude),
        SQLiteValue(shown.accuracyMeters), SQLiteValue(shown.batteryPercent.map(Int64.init)),
        SQLiteValue(update.account), SQLiteValue(update.alert))
    }
  }

  package func newestPlace(
    of alert: AlertID, account: AccountID
  ) throws(StorageError) -> (update: Int, at: Timestamp)? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT number, at FROM alert_updates WHERE account_id = ? AND alert_id = ? AND latitude IS NOT NULL
        ORDER BY number DESC LIMIT 1
        """)
      try statement.bind(SQLiteValue(account), SQLiteValue(alert))
      return try statement.firstRow { () throws(SQLiteError) in (Int(statement.integer(0)), statement.timestamp(1)) }
    }
  }

  package func hasUpdate(
    of alert: AlertID, account: AccountID, after seen: [MutationID], notBy device: DeviceID
  ) throws(StorageError) -> Bool {
    try storing { () throws(SQLiteError) in
      var number: Int64 = 0
      for id in seen {
        let statement = try connection.statement(
          "SELECT number FROM alert_updates WHERE account_id = ? AND alert_id = ? AND mutation_id = ?")
        try statement.bind(SQLiteValue(account), SQLiteValue(alert), SQLiteValue(id))
        number = max(number, try statement.firstRow { () throws(SQLiteError) in statement.integer(0) } ?? 0)
      }
      let statement = try connection.statement(
        """
        SELECT EXISTS (SELECT 1 FROM alert_updates
          WHERE account_id = ? AND alert_id = ? AND number > ? AND device_id <> ?)
        """)
      try statement.bind(SQLiteValue(account), SQLiteValue(alert), .integer(number), SQLiteValue(device))
      return try statement.firstRow { () throws(SQLiteError) in statement.boolean(0) } ?? false
    }
  }
}
