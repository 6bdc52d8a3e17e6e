package import Model
import SQLiteKit
package import ServerCore

// The queue of deliveries, host by host, so that a slow one cannot hold up the others.
extension SQLiteServerTransaction {
  package func dueDeliveries(
    at now: Timestamp, limit: Int, inFlight: InFlightLimits
  ) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      var due: [StoredDelivery] = []
      for host in try queuedHosts() {
        let room = min(limit, try inFlight.perHost - leases(host, at: now).count)
        guard room > 0 else { continue }
        let first = try dueDeliveries(host, isRetry: false, at: now, limit: room, perAccount: inFlight.perAccount)
        due += first
        guard first.count < room else { continue }
        due += try dueDeliveries(
          host, isRetry: true, at: now, limit: room - first.count, perAccount: inFlight.perAccount)
      }
      due.sort { Self.order(of: $0, at: now) < Self.order(of: $1, at: now) }
      return try firstWithRoom(due, at: now, limit: limit, perAccount: inFlight.perAccount)
    }
  }

  package func nextDue(at now: Timestamp, inFlight: InFlightLimits) throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      var next = try firstLeaseEndOfBusyAccounts(at: now, perAccount: inFlight.perAccount)
      for host in try queuedHosts() {
        let leases = try leases(host, at: now)
        var times = [next, leases.firstEnd]
        if leases.count < inFlight.perHost {
          times.append(try firstDue(host, isRetry: false, at: now, perAccount: inFlight.perAccount))
          times.append(try firstDue(host, isRetry: true, at: now, perAccount: inFlight.perAccount))
        }
        next = times.compactMap(\.self).min()
      }
      return next
    }
  }

  package func latestDue() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement("SELECT max(due_at) FROM deliveries WHERE due_at IS NOT NULL")
      try statement.bind()
      return try statement.firstRow { () throws(SQLiteError) in statement.optionalTimestamp(0) } ?? nil
    }
  }

  package func bringForward(dueAfter latest: Timestamp, to now: Timestamp) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE deliveries SET due_at = ?, is_leased = 0 WHERE due_at > ?")
        .run(SQLiteValue(now), SQLiteValue(latest))
    }
  }

  /// First attempts before retries, then the longest due.
  private static func order(of delivery: StoredDelivery, at now: Timestamp) -> (Int, Timestamp, String) {
    (delivery.attempts > 0 ? 1 : 0, delivery.dueAt ?? now, delivery.id.description)
  }

  /// The first `limit` of `due`, without those of an account beyond what it may have under way.
  private func firstWithRoom(
    _ due: [StoredDelivery], at now: Timestamp, limit: Int, perAccount: Int
  ) throws(SQLiteError) -> [StoredDelivery] {
    var room: [AccountID: Int] = [:]
    var taken: [StoredDelivery] = []
    for delivery in due where taken.count < limit {
      let account = delivery.target.account
      let left = if let known = room[account] { known } else { perAccount - (try leaseCount(account, at: now)) }
      room[account] = max(0, left - 1)
      if left > 0 { taken.append(delivery) }
    }
    return taken
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

  private func leaseCount(_ account: AccountID, at now: Timestamp) throws(SQLiteError) -> Int {
    let statement = try connection.statement(
      "SELECT count(*) FROM deliveries WHERE account_id = ? AND is_leased = 1 AND due_at > ?")
    try statement.bind(SQLiteValue(account), SQLiteValue(now))
    return try statement.firstRow { () throws(SQLiteError) in Int(statement.integer(0)) } ?? 0
  }

  /// Of the accounts that have as much under way as they may.
  private func firstLeaseEndOfBusyAccounts(at now: Timestamp, perAccount: Int) throws(SQLiteError) -> Timestamp? {
    let statement = try connection.statement(
      """
      SELECT min(due_at) FROM deliveries WHERE is_leased = 1 AND due_at > ?1
      GROUP BY account_id HAVING count(*) >= ?2 ORDER BY 1 LIMIT 1
      """
    )
    try statement.bind(SQLiteValue(now), .integer(Int64(perAccount)))
    return try statement.firstRow { () throws(SQLiteError) in statement.optionalTimestamp(0) } ?? nil
  }

  private func firstDue(
    _ host: String, isRetry: Bool, at now: Timestamp, perAccount: Int
  ) throws(SQLiteError) -> Timestamp? {
    let statement = try connection.statement(
      """
      SELECT due_at FROM deliveries
      WHERE host = ?1 AND (attempts > 0) = ?2 AND due_at IS NOT NULL AND account_id NOT IN (
        SELECT account_id FROM deliveries WHERE is_leased = 1 AND due_at > ?3 GROUP BY account_id HAVING count(*) >= ?4)
      ORDER BY due_at LIMIT 1
      """
    )
    try statement.bind(.text(host), SQLiteValue(isRetry), SQLiteValue(now), .integer(Int64(perAccount)))
    return try statement.firstRow { () throws(SQLiteError) in statement.optionalTimestamp(0) } ?? nil
  }

  private func dueDeliveries(
    _ host: String, isRetry: Bool, at now: Timestamp, limit: Int, perAccount: Int
  ) throws(SQLiteError) -> [StoredDelivery] {
    let statement = try connection.statement(
      """
      SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
        created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call FROM deliveries
      WHERE host = ?1 AND (attempts > 0) = ?2 AND due_at <= ?3 AND due_at IS NOT NULL AND account_id NOT IN (
        SELECT account_id FROM deliveries WHERE is_leased = 1 AND due_at > ?3 GROUP BY account_id HAVING count(*) >= ?4)
      ORDER BY due_at LIMIT ?5
      """
    )
    try statement.bind(
      .text(host), SQLiteValue(isRetry), SQLiteValue(now), .integer(Int64(perAccount)), .integer(Int64(limit)))
    return try statement.rows { () throws(SQLiteError) in try storedDelivery(statement) }
  }
}
