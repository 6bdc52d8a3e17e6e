package import Model
import SQLiteKit
package import ServerCore

// Counters of what was sent.
extension SQLiteServerTransaction {
  package func rateCounts(key: [UInt8], within range: Range<Timestamp>) throws(StorageError) -> [RateCount] {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT start_at, count FROM rate_counts WHERE key = ? AND start_at >= ? AND start_at < ? ORDER BY start_at")
      try statement.bind(.blob(key), SQLiteValue(range.lowerBound), SQLiteValue(range.upperBound))
      var counts: [RateCount] = []
      while try statement.step() {
        counts.append(RateCount(start: statement.timestamp(0), count: Int(statement.integer(1))))
      }
      return counts
    }
  }

  package func addToRateCount(key: [UInt8], start: Timestamp, expiresAt: Timestamp) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        INSERT INTO rate_counts (key, start_at, count, expires_at) VALUES (?, ?, 1, ?)
        ON CONFLICT (key, start_at) DO UPDATE SET count = count + 1
        """
      ).run(.blob(key), SQLiteValue(start), SQLiteValue(expiresAt))
    }
  }

  /// A bucket is a row of its own key that began at 0 and expires when it is full.
  func bucketFull(key: [UInt8]) throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement("SELECT expires_at FROM rate_counts WHERE key = ? AND start_at = 0")
      try statement.bind(.blob(key))
      return try statement.firstRow { () throws(SQLiteError) in statement.timestamp(0) }
    }
  }

  func setBucketFull(at time: Timestamp, key: [UInt8]) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO rate_counts (key, start_at, count, expires_at) VALUES (?1, 0, 1, ?2)
      ON CONFLICT (key, start_at) DO UPDATE SET expires_at = ?2
      """
    ).run(.blob(key), SQLiteValue(time))
  }

  package func removeRateCounts(expiredBefore time: Timestamp, limit: Int) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        DELETE FROM rate_counts WHERE (key, start_at) IN
          (SELECT key, start_at FROM rate_counts WHERE expires_at < ? LIMIT ?)
        """
      ).run(SQLiteValue(time), .integer(Int64(limit)))
      return connection.changedRows
    }
  }
}
