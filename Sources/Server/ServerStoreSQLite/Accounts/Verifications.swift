package import Model
import SQLiteKit
package import ServerCore

// One-time codes.
extension SQLiteServerTransaction {
  package func insertVerification(_ verification: VerificationRecord) throws(StorageError) {
    try storing { () throws(SQLiteError) in
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
  }

  package func verification(_ id: String) throws(StorageError) -> VerificationRecord? {
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

  package func countTry(verification id: String, limit: Int) throws(StorageError) -> Bool {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE verifications SET tries = tries + 1 WHERE id = ? AND tries < ?")
        .run(.text(id), .integer(Int64(limit)))
      return connection.changedRows > 0
    }
  }

  package func markVerificationUsed(_ id: String, at time: Timestamp) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE verifications SET used_at = ? WHERE id = ?").run(SQLiteValue(time), .text(id))
    }
  }

  package func latestResend(phone: String, upTo time: Timestamp) throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT max(resend_at) FROM verifications WHERE phone = ? AND created_at <= ? AND used_at IS NULL")
      try statement.bind(.text(phone), SQLiteValue(time))
      let latest = try statement.firstRow { () throws(SQLiteError) in statement.optionalTimestamp(0) }
      return latest ?? nil
    }
  }

  package func removeVerifications(expiredBefore time: Timestamp, limit: Int) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "DELETE FROM verifications WHERE rowid IN (SELECT rowid FROM verifications WHERE expires_at < ? LIMIT ?)"
      ).run(SQLiteValue(time), .integer(Int64(limit)))
      return connection.changedRows
    }
  }
}
