import Model
import SQLiteKit
package import ServerCore

extension SQLiteServerTransaction {
  package func serverState(_ key: String) throws(StorageError) -> [UInt8]? {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT value FROM server_state WHERE key = ?").value(.text(key))
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
      queuedDeliveries: try keptCount("queued_deliveries"), earliestDue: try earliestDue())
  }

  private func earliestDue() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT min(due_at) FROM deliveries WHERE due_at IS NOT NULL").value()
    }
  }

  /// The schema's triggers keep it.
  private func keptCount(_ name: String) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT count FROM kept_counts WHERE name = ?").value(.text(name)) ?? 0
    }
  }
}
