import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  /// One step of a round of housekeeping. It is over with a step that removes less than `limit`.
  func removeExpired(_ expiry: Expiry, limit: Int) throws(StorageError) -> Int {
    var floors = housekeepingFloors
    var removed: [ExpiredKind: (count: Int, newest: Timestamp?)] = [:]
    var batch = PostgresBatch()
    for kind in ExpiredKind.allCases {
      batch.add(
        kind.removal, PostgresValue(floors[.expired(kind), before: kind.end(expiry)]), PostgresValue(kind.end(expiry)),
        PostgresValue(limit)
      ) { rows throws(PostgresError) in
        let times = try rows.map { row throws(PostgresError) in try row["time", as: Timestamp.self] }
        removed[kind] = (times.count, times.max())
      }
    }
    try run(batch)
    let count = removed.values.reduce(0) { $0 + $1.count }
    for (kind, step) in removed {
      guard count >= limit else {
        floors.endRound(of: .expired(kind))
        continue
      }
      let end = kind.end(expiry)
      // Where one step did not remove all of a kind, the next goes on with the newest of these.
      floors[.expired(kind), before: end] = step.count < limit ? end : step.newest ?? end
    }
    housekeepingFloors = floors
    return count
  }
}

/// A kind of rows that expire, found by an index on when they do.
enum ExpiredKind: CaseIterable {
  case codes, rateCounts, alertLevels, alertBuckets, replacedTokens, expiredTokens, sessions, inbox

  func end(_ expiry: Expiry) -> Timestamp {
    switch self {
    case .codes: expiry.codes
    case .rateCounts, .alertLevels, .alertBuckets: expiry.rateCounts
    case .replacedTokens: expiry.replacedTokens
    case .expiredTokens: expiry.expiredTokens
    case .sessions: expiry.endedSessions
    case .inbox: expiry.endedInbox
    }
  }

  /// Removes up to $3 rows that expired from $1 on and before $2, the oldest first, and gives the `time` of each.
  var removal: String {
    switch self {
    case .codes: Self.removal(of: ["id"], from: "verifications", by: "expires_at")
    case .rateCounts: Self.removal(of: ["key", "start_at"], from: "rate_counts", by: "expires_at")
    case .alertLevels:
      Self.removal(of: ["account_id", "session_id", "is_of_alert_key", "full_at"], from: "alert_levels", by: "full_at")
    // Of the version before.
    case .alertBuckets:
      Self.removal(of: ["account_id", "session_id", "is_of_alert_key"], from: "alert_buckets", by: "full_at")
    case .replacedTokens:
      Self.removal(of: Self.tokens, from: "tokens", by: "replaced_at", where: Self.successorWasUsed)
    case .expiredTokens: Self.removal(of: Self.tokens, from: "tokens", by: "refresh_expires_at")
    case .sessions:
      """
      WITH ended AS (
        \(Self.sessionRemoval)),
      their_tokens AS (
        DELETE FROM tokens USING ended WHERE tokens.account_id = ended.account_id AND tokens.session_id = ended.id)
      SELECT time FROM ended
      """
    case .inbox:
      """
      WITH ended AS (
        \(Self.inboxRemoval)),
      their_posts AS (
        DELETE FROM inbox_posts USING ended
        WHERE inbox_posts.account_id = ended.source_account_id AND inbox_posts.alert_id = ended.source_alert_id
          AND inbox_posts.inbox_account_id = ended.account_id)
      SELECT time FROM ended
      """
    }
  }

  private static let sessionRemoval = removal(
    of: ["account_id", "id"], from: "sessions", by: "alert_key_ended_at", returning: ["account_id", "id"])
  private static let inboxRemoval = removal(
    of: ["account_id", "id"], from: "inbox", by: "ended_at",
    returning: ["account_id", "source_account_id", "source_alert_id"])
  private static let tokens = ["account_id", "session_id", "generation"]
  private static let successorWasUsed = """
    AND EXISTS (
      SELECT 1 FROM tokens AS next
      WHERE next.account_id = old.account_id AND next.session_id = old.session_id AND next.generation = old.generation + 1
        AND next.first_used_at IS NOT NULL)
    """

  /// - Parameter columns: what it gives of each besides the time.
  private static func removal(
    of key: [String], from table: String, by time: String, where condition: String = "",
    returning columns: [String] = []
  ) -> String {
    let found = key.map { "old.\($0)" }.joined(separator: ", ")
    let given = (["\(time) AS time"] + columns).joined(separator: ", ")
    return """
      DELETE FROM \(table) WHERE (\(key.joined(separator: ", "))) IN (
        SELECT \(found) FROM \(table) AS old WHERE old.\(time) >= $1 AND old.\(time) < $2 \(condition)
        ORDER BY old.\(time) LIMIT $3)
      RETURNING \(given)
      """
  }
}
