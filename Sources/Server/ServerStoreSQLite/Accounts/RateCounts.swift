import Model
import SQLiteKit
import ServerCore

// Counts of rate limits.
extension SQLiteServerTransaction {
  func rateCounts(key: [UInt8], within range: Range<Timestamp>) throws(StorageError) -> [RateCount] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT start_at, count FROM rate_counts WHERE key = ? AND start_at >= ? AND start_at < ? ORDER BY start_at"
      ).rows(.blob(key), SQLiteValue(range.lowerBound), SQLiteValue(range.upperBound)) { row in
        RateCount(start: try row["start_at"], count: try row["count"])
      }
    }
  }

  func add(_ step: RateCountStep) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO rate_counts (key, start_at, count, expires_at) VALUES (?, ?, 1, ?)
      ON CONFLICT (key, start_at) DO UPDATE SET count = count + 1
      """
    ).run(.blob(step.key), SQLiteValue(step.start), SQLiteValue(step.expiresAt))
  }

  func removeRateCounts(expiredBefore time: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try connection.statement(
      """
      DELETE FROM rate_counts WHERE (key, start_at) IN
        (SELECT key, start_at FROM rate_counts WHERE expires_at < ? LIMIT ?)
      """
    ).run(SQLiteValue(time), .integer(Int64(limit)))
    return connection.changedRows
  }
}
