package import Model
import SQLiteKit
package import ServerCore

// The queue of deliveries, in turns: one for each priority, for first attempts and repeats. In a turn each host is looked at by
// itself, and at each host each account, so that none of them holds up the others.
extension SQLiteServerTransaction {
  package func dueDeliveries(
    at now: Timestamp, limit: Int, inFlight: InFlightLimits
  ) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      var room = try room(at: now, inFlight)
      var due: [StoredDelivery] = []
      for turn in DeliveryTurn.all {
        for host in try hosts(turn) where due.count < limit && !room.isFull(host, turn) {
          try take(turn, host, at: now, limit: limit, &room, &due)
        }
      }
      return due
    }
  }

  package func nextDue(at now: Timestamp, inFlight: InFlightLimits) throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      let room = try room(at: now, inFlight)
      let later = room.afterLeases()
      var next: Timestamp?
      for turn in DeliveryTurn.all {
        for host in try hosts(turn) {
          for (account, dueAt) in try accounts(turn, host) {
            let mayStart = room.mayStart(turn, host, account)
            let freeAt = mayStart ? now : later.first { $0.room.mayStart(turn, host, account) }?.end
            guard let freeAt else { continue }
            let time = max(dueAt, freeAt)
            if time <= now { return now }
            next = next.map { min($0, time) } ?? time
          }
        }
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

  /// Makes due what was held back.
  func apply(_ release: WriteSet.HeldRelease, to account: AccountID) throws(SQLiteError) {
    try connection.statement(
      """
      UPDATE deliveries SET due_at = ?1
      WHERE account_id = ?2 AND state = 'queued' AND is_leased = 0 AND due_at > ?1 AND due_at <= ?3 AND alert_id <> ?4
      """
    ).run(
      SQLiteValue(release.dueAt), SQLiteValue(account), SQLiteValue(release.dueUpTo), SQLiteValue(release.exceptAlert))
  }

  package func endLeases(at now: Timestamp) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE deliveries SET due_at = ?, is_leased = 0 WHERE is_leased = 1")
        .run(SQLiteValue(now))
    }
  }

  /// Takes what is due of one turn at one host, an account at a time.
  private func take(
    _ turn: DeliveryTurn, _ host: String, at now: Timestamp, limit: Int, _ room: inout DeliveryRoom,
    _ due: inout [StoredDelivery]
  ) throws(SQLiteError) {
    var waiting = try accounts(turn, host).filter { $0.dueAt <= now }
    var rows: [AccountID: ArraySlice<StoredDelivery>] = [:]
    while due.count < limit {
      let place = waiting.indices.filter { room.mayStart(turn, host, waiting[$0].account) }.min {
        room.order(host, waiting[$0].account, waiting[$0].dueAt)
          < room.order(host, waiting[$1].account, waiting[$1].dueAt)
      }
      guard let place else { return }
      let account = waiting[place].account
      var left =
        if let known = rows[account] {
          known
        } else {
          try deliveries(turn, host, account, at: now, limit: room.mostPerHost)[...]
        }
      if let next = left.popFirst() {
        room.start(turn, host, account, endsAt: nil)
        due.append(next)
      }
      rows[account] = left
      if let dueAt = left.first?.dueAt { waiting[place].dueAt = dueAt } else { waiting.remove(at: place) }
    }
  }

  private func room(at now: Timestamp, _ limits: InFlightLimits) throws(SQLiteError) -> DeliveryRoom {
    let statement = try connection.statement(
      "SELECT host, account_id, priority, attempts, due_at FROM deliveries WHERE is_leased = 1 AND due_at > ?")
    try statement.bind(SQLiteValue(now))
    var room = DeliveryRoom(limits)
    _ = try statement.rows { () throws(SQLiteError) in
      guard let priority = DeliveryPriority(rawValue: Int(statement.integer(2))) else { throw .storedWrong }
      // The attempt that is under way is counted already.
      let turn = DeliveryTurn(priority: priority, isRepeat: statement.integer(3) > 1)
      room.start(turn, statement.text(0), try statement.identifier(1), endsAt: statement.optionalTimestamp(4))
    }
    return room
  }

  /// Each host once, found by leaping through the index from one to the next.
  private func hosts(_ turn: DeliveryTurn) throws(SQLiteError) -> [String] {
    let statement = try connection.statement(
      """
      WITH RECURSIVE hosts (host) AS (
        SELECT min(host) FROM deliveries WHERE priority = ?1 AND (attempts > 0) = ?2 AND due_at IS NOT NULL
        UNION ALL
        SELECT (SELECT min(host) FROM deliveries
          WHERE priority = ?1 AND (attempts > 0) = ?2 AND due_at IS NOT NULL AND host > hosts.host) FROM hosts
        WHERE hosts.host IS NOT NULL)
      SELECT host FROM hosts WHERE host IS NOT NULL
      """
    )
    try statement.bind(.integer(Int64(turn.priority.rawValue)), SQLiteValue(turn.isRepeat))
    return try statement.rows { () throws(SQLiteError) in statement.text(0) }
  }

  /// Each account once, with when the first of its deliveries is due, or its lease ends.
  private func accounts(
    _ turn: DeliveryTurn, _ host: String
  ) throws(SQLiteError) -> [(account: AccountID, dueAt: Timestamp)] {
    let statement = try connection.statement(
      """
      WITH RECURSIVE accounts (id) AS (
        SELECT min(account_id) FROM deliveries
        WHERE priority = ?1 AND (attempts > 0) = ?2 AND host = ?3 AND due_at IS NOT NULL
        UNION ALL
        SELECT (SELECT min(account_id) FROM deliveries
          WHERE priority = ?1 AND (attempts > 0) = ?2 AND host = ?3 AND due_at IS NOT NULL AND account_id > accounts.id)
        FROM accounts WHERE accounts.id IS NOT NULL)
      SELECT id, (SELECT min(due_at) FROM deliveries
        WHERE priority = ?1 AND (attempts > 0) = ?2 AND host = ?3 AND due_at IS NOT NULL AND account_id = accounts.id)
      FROM accounts WHERE id IS NOT NULL
      """
    )
    try statement.bind(.integer(Int64(turn.priority.rawValue)), SQLiteValue(turn.isRepeat), .text(host))
    return try statement.rows { () throws(SQLiteError) in (try statement.identifier(0), statement.timestamp(1)) }
  }

  private func deliveries(
    _ turn: DeliveryTurn, _ host: String, _ account: AccountID, at now: Timestamp, limit: Int
  ) throws(SQLiteError) -> [StoredDelivery] {
    let statement = try connection.statement(
      """
      SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
        created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call,
        priority FROM deliveries
      WHERE priority = ?1 AND (attempts > 0) = ?2 AND host = ?3 AND account_id = ?4 AND due_at <= ?5
        AND due_at IS NOT NULL
      ORDER BY due_at LIMIT ?6
      """
    )
    try statement.bind(
      .integer(Int64(turn.priority.rawValue)), SQLiteValue(turn.isRepeat), .text(host), SQLiteValue(account),
      SQLiteValue(now), .integer(Int64(limit)))
    return try statement.rows { () throws(SQLiteError) in try storedDelivery(statement) }
  }
}
