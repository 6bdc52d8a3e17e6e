import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func serverState(_ key: String) throws(StorageError) -> [UInt8]? {
    try value("SELECT value FROM server_state WHERE key = $1", .text(key))
  }

  func setServerState(_ key: String, to value: [UInt8]) throws(StorageError) {
    try change(
      "INSERT INTO server_state (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = $2", .text(key),
      .bytes(value))
  }

  func addServerState(_ key: String, _ batch: inout PostgresBatch, take: @escaping ([UInt8]?) -> Void) {
    batch.add("SELECT value FROM server_state WHERE key = $1", .text(key)) { rows throws(PostgresError) in
      take(try rows.value())
    }
  }

  func addStoreCounts(_ batch: inout PostgresBatch, take: @escaping (StoreCounts) -> Void) {
    let earliestDue = Box<Timestamp?>(nil)
    batch.add("SELECT min(due_at) AS due_at FROM deliveries WHERE due_at IS NOT NULL") { rows throws(PostgresError) in
      earliestDue.value = try rows.value()
    }
    batch.add("SELECT name, sum(count)::bigint AS count FROM kept_counts GROUP BY name") { rows throws(PostgresError) in
      var counts = StoreCounts(earliestDue: earliestDue.value)
      for row in try rows.map({ row throws(PostgresError) in
        (name: try row["name", as: String.self], count: try row["count", as: Int.self])
      }) {
        switch row.name {
        case "alerts": counts.alerts = row.count
        case "active_alerts": counts.activeAlerts = row.count
        case "queued_deliveries": counts.queuedDeliveries = row.count
        default: break
        }
      }
      take(counts)
    }
  }
}
