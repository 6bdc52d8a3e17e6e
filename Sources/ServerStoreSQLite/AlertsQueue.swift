package import Model
import SQLiteKit
package import ServerCore

// The queue of deliveries, host by host, so that a slow one cannot hold up the others.
extension SQLiteServerTransaction {
  package func dueDeliveries(
    at now: Timestamp, limit: Int, inFlightPerHost: Int
  ) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      var due: [StoredDelivery] = []
      for host in try queuedHosts() {
        let room = try inFlightPerHost - leases(host, at: now).count
        if room > 0 { due += try dueDeliveries(host, at: now, limit: min(room, limit)) }
      }
      due.sort { ($0.dueAt ?? now, $0.id.description) < ($1.dueAt ?? now, $1.id.description) }
      return Array(due.prefix(limit))
    }
  }

  package func nextDue(at now: Timestamp, inFlightPerHost: Int) throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      var next: Timestamp?
      for host in try queuedHosts() {
        let leases = try leases(host, at: now)
        let hostNext = leases.count < inFlightPerHost ? try firstDue(host) : leases.firstEnd
        if let hostNext { next = min(next ?? hostNext, hostNext) }
      }
      return next
    }
  }

  /// Each host once, found by leaping through the index from one to the next.
  private func queuedHosts() throws(SQLiteError) -> [String] {
    let statement = try connection.statement(
      """
      WITH RECURSIVE hosts (host) AS (
        SELECT min(host) FROM deliveries WHERE due_at IS NOT NULL
        UNION ALL
        SELECT (SELECT min(host) FROM deliveries WHERE due_at IS NOT NULL AND host > hosts.host) FROM hosts
        WHERE hosts.host IS NOT NULL)
      SELECT host FROM hosts WHERE host IS NOT NULL
      """
    )
    try statement.bind()
    return try statement.rows { () throws(SQLiteError) in statement.text(0) }
  }

  private func leases(
    _ host: String, at now: Timestamp
  ) throws(SQLiteError) -> (count: Int, firstEnd: Timestamp?) {
    let statement = try connection.statement(
      "SELECT count(*), min(due_at) FROM deliveries WHERE host = ? AND is_leased = 1 AND due_at > ?")
    try statement.bind(.text(host), SQLiteValue(now))
    return try statement.firstRow { () throws(SQLiteError) in
      (Int(statement.integer(0)), statement.optionalTimestamp(1))
    } ?? (0, nil)
  }

  private func firstDue(_ host: String) throws(SQLiteError) -> Timestamp? {
    let statement = try connection.statement(
      "SELECT min(due_at) FROM deliveries WHERE host = ? AND due_at IS NOT NULL")
    try statement.bind(.text(host))
    return try statement.firstRow { () throws(SQLiteError) in statement.optionalTimestamp(0) } ?? nil
  }

  private func dueDeliveries(
    _ host: String, at now: Timestamp, limit: Int
  ) throws(SQLiteError) -> [StoredDelivery] {
    let statement = try connection.statement(
      """
      SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
        created_at, attempts, refusals, due_at, is_leased FROM deliveries
      WHERE host = ? AND due_at <= ? AND due_at IS NOT NULL ORDER BY due_at LIMIT ?
      """
    )
    try statement.bind(.text(host), SQLiteValue(now), .integer(Int64(limit)))
    return try statement.rows { () throws(SQLiteError) in try storedDelivery(statement) }
  }
}
