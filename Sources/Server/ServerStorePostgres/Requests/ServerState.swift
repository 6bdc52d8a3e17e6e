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
    batch.add(
      """
      SELECT (SELECT min(due_at) FROM deliveries WHERE due_at IS NOT NULL) AS earliest_due,
        (SELECT coalesce(sum(count), 0)::bigint FROM kept_counts WHERE name = 'alerts' OR name LIKE 'alerts %') AS alerts,
        (SELECT count(*) FROM alerts WHERE ended_at IS NULL) AS active_alerts,
        (SELECT count(*) FROM deliveries WHERE state = 'queued') AS queued_deliveries
      """
    ) { rows throws(PostgresError) in
      guard rows.count > 0 else { return }
      take(
        StoreCounts(
          alerts: try rows[0]["alerts"], activeAlerts: try rows[0]["active_alerts"],
          queuedDeliveries: try rows[0]["queued_deliveries"], earliestDue: try rows[0]["earliest_due"]))
    }
  }
}
