import Model
import SQLiteKit
import ServerCore

// One-time codes.
extension SQLiteServerTransaction {
  func insertVerification(_ verification: VerificationRecord) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO verifications (id, phone, code_hash, created_at, resend_at, expires_at, tries, used_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      .text(verification.id), .text(verification.phone), .blob(verification.codeHash),
      SQLiteValue(verification.createdAt), SQLiteValue(verification.resendAt), SQLiteValue(verification.expiresAt),
      .integer(Int64(verification.tries)), SQLiteValue(verification.usedAt))
  }

  func verification(_ id: String) throws(StorageError) -> VerificationRecord? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, phone, code_hash, created_at, resend_at, expires_at, tries, used_at FROM verifications WHERE id = ?
        """
      )
      try statement.bind(.text(id))
      return try statement.firstRow { () throws(SQLiteError) in
        VerificationRecord(
          id: statement.text(0), phone: statement.text(1), codeHash: statement.blob(2),
          createdAt: statement.timestamp(3), resendAt: statement.timestamp(4), expiresAt: statement.timestamp(5),
          tries: Int(statement.integer(6)), usedAt: statement.optionalTimestamp(7))
      }
    }
  }

  /// Writes how often a code was tried, and when it was used.
  func updateVerification(_ verification: VerificationRecord) throws(SQLiteError) {
    try connection.statement("UPDATE verifications SET tries = ?, used_at = ? WHERE id = ?")
      .run(.integer(Int64(verification.tries)), SQLiteValue(verification.usedAt), .text(verification.id))
  }

  func latestResend(phone: String, upTo time: Timestamp) throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT max(resend_at) FROM verifications WHERE phone = ? AND created_at <= ? AND used_at IS NULL")
      try statement.bind(.text(phone), SQLiteValue(time))
      let latest = try statement.firstRow { () throws(SQLiteError) in statement.optionalTimestamp(0) }
      return latest ?? nil
    }
  }

  func removeVerifications(expiredBefore time: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try connection.statement(
      "DELETE FROM verifications WHERE rowid IN (SELECT rowid FROM verifications WHERE expires_at < ? LIMIT ?)"
    ).run(SQLiteValue(time), .integer(Int64(limit)))
    return connection.changedRows
  }
}
