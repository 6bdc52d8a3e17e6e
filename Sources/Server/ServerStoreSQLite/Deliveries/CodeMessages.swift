package import Model
import SQLiteKit
package import ServerCore

// One-time codes, and replies to text messages, that wait for the gateway.
extension SQLiteServerTransaction {
  /// Queues a code or a reply, in the place of another one to the same telephone.
  func insertCode(_ code: StoredCode) throws(SQLiteError) {
    switch code.content {
    case .code(let verification):
      try connection.statement("DELETE FROM code_messages WHERE phone = ? AND reply IS NULL").run(.text(code.phone))
      try insert(code, verification, nil)
    case .reply(let reply):
      try connection.statement("DELETE FROM code_messages WHERE phone = ? AND reply IS NOT NULL")
        .run(.text(code.phone))
      try insert(code, nil, reply)
    }
  }

  private func insert(_ code: StoredCode, _ verification: String?, _ reply: StoredReply?) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO code_messages (id, verification_id, reply, account_id, alert_id, contact_id, expires_at, phone, attempts, due_at,
        is_leased)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(code.id), SQLiteValue(verification), SQLiteValue(reply?.kind.rawValue),
      SQLiteValue(reply?.about?.account), SQLiteValue(reply?.about?.alert), SQLiteValue(reply?.about?.contact),
      SQLiteValue(reply == nil ? nil : code.expiresAt), .text(code.phone), .integer(Int64(code.attempts)),
      SQLiteValue(code.dueAt), SQLiteValue(code.isLeased))
  }

  package func codeMessage(_ id: CodeID) throws(StorageError) -> StoredCode? {
    let rows = try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT code_messages.id, verification_id, reply, account_id, alert_id, contact_id, code_messages.phone, attempts, due_at,
          is_leased, coalesce(verifications.expires_at, code_messages.expires_at) AS expires_at, used_at
        FROM code_messages LEFT JOIN verifications ON verifications.id = verification_id WHERE code_messages.id = ?
        """
      ).rows(SQLiteValue(id), row: CodeRow.init(row:))
    }
    return try readable(rows).first
  }

  package func isClaimedHere(_ id: CodeID) -> Bool { true }

  package func dueCodes(at now: Timestamp, limit: Int) throws(StorageError) -> [StoredCode] {
    let rows = try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT code_messages.id, verification_id, reply, account_id, alert_id, contact_id, code_messages.phone, attempts, due_at,
          is_leased, coalesce(verifications.expires_at, code_messages.expires_at) AS expires_at, used_at
        FROM code_messages INDEXED BY code_messages_by_due LEFT JOIN verifications ON verifications.id = verification_id
        WHERE due_at <= ? ORDER BY due_at LIMIT ?
        """
      ).rows(SQLiteValue(now), .integer(Int64(limit)), row: CodeRow.init(row:))
    }
    return try readable(rows)
  }

  func codeQueue(at now: Timestamp) throws(StorageError) -> CodeQueue {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT (SELECT count(*) FROM code_messages WHERE is_leased = 1 AND due_at > ?) AS leased_count,
          (SELECT min(due_at) FROM code_messages) AS first_due,
          (SELECT max(due_at) FROM code_messages) AS last_due,
          (SELECT min(due_at) FROM code_messages WHERE is_leased = 1) AS first_lease_end
        """
      ).row(SQLiteValue(now)) { row throws(SQLiteError) in
        CodeQueue(
          leasedCount: try row["leased_count"], firstDue: try row["first_due"], lastDue: try row["last_due"],
          firstLeaseEnd: try row["first_lease_end"])
      } ?? CodeQueue()
    }
  }

  package func updateCode(_ code: StoredCode) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE code_messages SET attempts = ?, due_at = ?, is_leased = ? WHERE id = ?")
        .run(
          .integer(Int64(code.attempts)), SQLiteValue(code.dueAt), SQLiteValue(code.isLeased), SQLiteValue(code.id))
    }
  }

  package func removeCode(_ id: CodeID) throws(StorageError) { try removeCode(id.description) }

  package func bringCodesForward(dueAfter latest: Timestamp, to now: Timestamp) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE code_messages SET due_at = ?, is_leased = 0 WHERE due_at > ?")
        .run(SQLiteValue(now), SQLiteValue(latest))
    }
  }

  package func endCodeLeases(at now: Timestamp) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE code_messages SET due_at = ?, is_leased = 0 WHERE is_leased = 1")
        .run(SQLiteValue(now))
    }
  }

  private func removeCode(_ id: String) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("DELETE FROM code_messages WHERE id = ?").run(.text(id))
    }
  }

  private func readable(_ rows: [CodeRow]) throws(StorageError) -> [StoredCode] {
    for row in rows where row.code == nil { try removeCode(row.id) }
    return rows.compactMap(\.code)
  }
}

/// A code, or nil where a value of its row cannot be read.
private struct CodeRow {
  let id: String
  let code: StoredCode?

  init(row: borrowing Row) throws(SQLiteError) {
    id = try row["id"]
    do throws(SQLiteError) {
      code = try StoredCode(row: row)
    } catch let error where error.isUnreadableValue {
      code = nil
    }
  }
}

extension StoredCode {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      id: try row["id"], try Content(row: row), phone: try row["phone"], expiresAt: try row["expires_at"],
      dueAt: try row["due_at"])
    isUsed = try row["used_at", as: Timestamp?.self] != nil
    attempts = try row["attempts"]
    isLeased = try row["is_leased"]
  }
}

extension StoredCode.Content {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    if let verification = try row["verification_id", as: String?.self] {
      self = .code(verification: verification)
      return
    }
    let account: AccountID? = try row["account_id"]
    let about = try account.map { account throws(SQLiteError) in
      StoredReply.Subject(account: account, alert: try row["alert_id"], contact: try row["contact_id"])
    }
    self = .reply(StoredReply(try row.choice("reply"), about: about))
  }
}
