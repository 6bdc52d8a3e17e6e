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
      try connection.statement(
        """
        SELECT id, phone, code_hash, created_at, resend_at, expires_at, tries, used_at FROM verifications WHERE id = ?
        """
      ).row(.text(id)) { row in
        VerificationRecord(
          id: try row["id"], phone: try row["phone"], codeHash: try row["code_hash"], createdAt: try row["created_at"],
          resendAt: try row["resend_at"], expiresAt: try row["expires_at"], tries: try row["tries"],
          usedAt: try row["used_at"])
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
      try connection.statement(
        "SELECT max(resend_at) FROM verifications WHERE phone = ? AND created_at <= ? AND used_at IS NULL"
      ).value(.text(phone), SQLiteValue(time))
    }
  }

  func removeVerifications(expiredBefore time: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try connection.statement(
      "DELETE FROM verifications WHERE rowid IN (SELECT rowid FROM verifications WHERE expires_at < ? LIMIT ?)"
    ).run(SQLiteValue(time), .integer(Int64(limit)))
    return connection.changedRows
  }
}
