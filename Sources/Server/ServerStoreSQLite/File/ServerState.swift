import Model
import SQLiteKit
package import ServerCore

extension SQLiteServerTransaction {
  package func serverState(_ key: String) throws(StorageError) -> [UInt8]? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement("SELECT value FROM server_state WHERE key = ?")
      try statement.bind(.text(key))
      defer { statement.reset() }
      return try statement.step() ? statement.blob(0) : nil
    }
  }

  package func setServerState(_ key: String, to value: [UInt8]) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "INSERT INTO server_state (key, value) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = ?2"
      ).run(.text(key), .blob(value))
    }
  }

  package func counts() throws(StorageError) -> StoreCounts {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT (SELECT coalesce(sum(newest_ordinal), 0) FROM account_logs), (SELECT count(*) FROM alerts WHERE ended_at IS NULL),
          (SELECT count(*) FROM deliveries WHERE state = 'queued')
        """
      )
      try statement.bind()
      defer { statement.reset() }
      guard try statement.step() else { return StoreCounts() }
      return StoreCounts(
        alerts: Int(statement.integer(0)), activeAlerts: Int(statement.integer(1)),
        queuedDeliveries: Int(statement.integer(2)))
    }
  }
}
