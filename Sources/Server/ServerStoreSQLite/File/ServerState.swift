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

  func storeCounts() throws(StorageError) -> StoreCounts {
    StoreCounts(
      alerts: try keptCount("alerts"), activeAlerts: try keptCount("active_alerts"),
      queuedDeliveries: try keptCount("queued_deliveries"))
  }

  /// The schema's triggers keep it.
  private func keptCount(_ name: String) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement("SELECT count FROM kept_counts WHERE name = ?")
      try statement.bind(.text(name))
      return try statement.firstRow { () throws(SQLiteError) in Int(statement.integer(0)) } ?? 0
    }
  }
}
