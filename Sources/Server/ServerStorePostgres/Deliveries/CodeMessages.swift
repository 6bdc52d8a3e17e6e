import Model
import PostgresKit
import ServerCore

// One-time codes, and replies to text messages, that wait for the gateway.
extension PostgresTransaction {
  /// Queues a code or a reply, in the place of another one to the same telephone.
  func insert(_ code: StoredCode, _ batch: inout PostgresBatch) {
    var (verification, reply): (String?, StoredReply?)
    switch code.content {
    case .code(let id): verification = id
    case .reply(let content): reply = content
    }
    batch.add(
      reply == nil
        ? "DELETE FROM code_messages WHERE phone = $1 AND reply IS NULL"
        : "DELETE FROM code_messages WHERE phone = $1 AND reply IS NOT NULL", .text(code.phone))
    batch.add(
      """
      INSERT INTO code_messages (id, verification_id, reply, account_id, alert_id, contact_id, expires_at, phone, attempts,
        due_at, is_leased, holder)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
      """, PostgresValue(code.id), PostgresValue(verification), PostgresValue(reply?.kind.rawValue),
      PostgresValue(reply?.about?.account), PostgresValue(reply?.about?.alert), PostgresValue(reply?.about?.contact),
      PostgresValue(reply == nil ? nil : code.expiresAt), .text(code.phone), PostgresValue(code.attempts),
      PostgresValue(code.dueAt), PostgresValue(code.isLeased), PostgresValue(writer.process))
  }

  private static let code = """
    SELECT code_messages.id, verification_id, reply, account_id, alert_id, contact_id, code_messages.phone, attempts, due_at,
      is_leased, coalesce(verifications.expires_at, code_messages.expires_at) AS expires_at, used_at
    FROM code_messages LEFT JOIN verifications ON verifications.id = verification_id
    """

  func codeMessage(_ id: CodeID) throws(StorageError) -> StoredCode? {
    try readable("\(Self.code) WHERE code_messages.id = $1", PostgresValue(id)).first
  }

  func isClaimedHere(_ id: CodeID) throws(StorageError) -> Bool {
    try value("SELECT holder = $2 FROM code_messages WHERE id = $1", PostgresValue(id), PostgresValue(writer.process))
      ?? false
  }

  func dueCodes(at now: Timestamp, limit: Int) throws(StorageError) -> [StoredCode] {
    try readable(
      "\(Self.code) WHERE due_at <= $1 ORDER BY due_at, code_messages.id LIMIT $2", PostgresValue(now),
      PostgresValue(limit))
  }

  func updateCode(_ code: StoredCode) throws(StorageError) {
    try change(
      "UPDATE code_messages SET attempts = $1, due_at = $2, is_leased = $3, holder = CASE WHEN $3 THEN $4 ELSE holder END WHERE id = $5",
      PostgresValue(code.attempts), PostgresValue(code.dueAt), PostgresValue(code.isLeased),
      PostgresValue(writer.process),
      PostgresValue(code.id))
  }

  func removeCode(_ id: CodeID) throws(StorageError) {
    try change("DELETE FROM code_messages WHERE id = $1", PostgresValue(id))
  }

  func bringCodesForward(dueAfter latest: Timestamp, to now: Timestamp) throws(StorageError) {
    try change(
      "UPDATE code_messages SET due_at = $1, is_leased = false WHERE due_at > $2", PostgresValue(now),
      PostgresValue(latest))
  }

  /// Those of this process, and of processes that are gone.
  func endCodeLeases(at now: Timestamp) throws(StorageError) {
    try change(
      """
      UPDATE code_messages SET due_at = $1, is_leased = false
      WHERE is_leased AND (holder IS NULL OR holder = $2 OR holder NOT IN (SELECT id FROM processes))
      """, PostgresValue(now), PostgresValue(writer.process))
  }

  /// Removes those that cannot be read.
  private func readable(_ statement: String, _ parameters: PostgresValue...) throws(StorageError) -> [StoredCode] {
    var found: [(id: CodeID, code: StoredCode?)] = []
    var batch = PostgresBatch()
    batch.add(statement, parameters) { rows throws(PostgresError) in
      found = try rows.map { row throws(PostgresError) in (id: try row["id"], code: try StoredCode.readable(row)) }
    }
    try run(batch)
    for row in found where row.code == nil { try removeCode(row.id) }
    return found.compactMap(\.code)
  }
}

extension StoredCode {
  /// Nil where a value of the row is none that the server writes.
  fileprivate static func readable(_ row: PostgresRow) throws(PostgresError) -> StoredCode? {
    do throws(PostgresError) {
      return try StoredCode(row: row)
    } catch let error where error.kind == .unreadableValue {
      return nil
    }
  }

  private init(row: PostgresRow) throws(PostgresError) {
    self.init(
      id: try row["id"], try Content(row: row), phone: try row["phone"], expiresAt: try row["expires_at"],
      dueAt: try row["due_at"])
    isUsed = try row["used_at", as: Timestamp?.self] != nil
    attempts = try row["attempts"]
    isLeased = try row["is_leased"]
  }
}

extension StoredCode.Content {
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    if let verification = try row["verification_id", as: String?.self] {
      self = .code(verification: verification)
      return
    }
    let account: AccountID? = try row["account_id"]
    let about = try account.map { account throws(PostgresError) in
      StoredReply.Subject(account: account, alert: try row["alert_id"], contact: try row["contact_id"])
    }
    self = .reply(StoredReply(try row.choice("reply"), about: about))
  }
}
