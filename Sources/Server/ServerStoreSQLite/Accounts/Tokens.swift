import Model
import SQLiteKit
import ServerCore

// The pairs of tokens of a session.
extension SQLiteServerTransaction {
  func insertTokens(_ tokens: TokenRecord) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO tokens (session_id, generation, access_hash, refresh_hash, salt, access_expires_at,
        refresh_expires_at, first_used_at, replaced_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(tokens.sessionID), .integer(tokens.generation), .blob(tokens.accessHash),
      .blob(tokens.refreshHash), .blob(tokens.salt), SQLiteValue(tokens.accessExpiresAt),
      SQLiteValue(tokens.refreshExpiresAt), SQLiteValue(tokens.firstUsedAt), SQLiteValue(tokens.replacedAt))
  }

  func tokens(accessHash: [UInt8]) throws(StorageError) -> TokenRecord? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT session_id, generation, access_hash, refresh_hash, salt, access_expires_at, refresh_expires_at,
          first_used_at, replaced_at FROM tokens WHERE access_hash = ?
        """
      ).row(.blob(accessHash), row: TokenRecord.init(row:))
    }
  }

  func tokens(refreshHash: [UInt8]) throws(StorageError) -> TokenRecord? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT session_id, generation, access_hash, refresh_hash, salt, access_expires_at, refresh_expires_at,
          first_used_at, replaced_at FROM tokens WHERE refresh_hash = ?
        """
      ).row(.blob(refreshHash), row: TokenRecord.init(row:))
    }
  }

  func tokens(session: SessionID, generation: Int64) throws(StorageError) -> TokenRecord? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT session_id, generation, access_hash, refresh_hash, salt, access_expires_at, refresh_expires_at,
          first_used_at, replaced_at FROM tokens WHERE session_id = ? AND generation = ?
        """
      ).row(SQLiteValue(session), .integer(generation), row: TokenRecord.init(row:))
    }
  }

  func updateTimes(of tokens: TokenRecord) throws(SQLiteError) {
    try connection.statement(
      """
      UPDATE tokens SET access_expires_at = ?, refresh_expires_at = ?, first_used_at = ?, replaced_at = ?
      WHERE session_id = ? AND generation = ?
      """
    ).run(
      SQLiteValue(tokens.accessExpiresAt), SQLiteValue(tokens.refreshExpiresAt), SQLiteValue(tokens.firstUsedAt),
      SQLiteValue(tokens.replacedAt), SQLiteValue(tokens.sessionID), .integer(tokens.generation))
  }

  func removeTokens(
    replacedBefore replaced: Timestamp, expiredBefore expired: Timestamp, limit: Int
  ) throws(SQLiteError) -> Int {
    try connection.statement(
      """
      DELETE FROM tokens WHERE rowid IN (
        SELECT old.rowid FROM tokens AS old
        WHERE old.refresh_expires_at < ?2 OR old.replaced_at < ?1 AND EXISTS (
          SELECT 1 FROM tokens AS next
          WHERE next.session_id = old.session_id AND next.generation = old.generation + 1
            AND next.first_used_at IS NOT NULL)
        LIMIT ?3)
      """
    ).run(SQLiteValue(replaced), SQLiteValue(expired), .integer(Int64(limit)))
    return connection.changedRows
  }
}

extension TokenRecord {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      sessionID: try row["session_id"], generation: try row["generation"], accessHash: try row["access_hash"],
      refreshHash: try row["refresh_hash"], salt: try row["salt"], accessExpiresAt: try row["access_expires_at"],
      refreshExpiresAt: try row["refresh_expires_at"], firstUsedAt: try row["first_used_at"],
      replacedAt: try row["replaced_at"])
  }
}
