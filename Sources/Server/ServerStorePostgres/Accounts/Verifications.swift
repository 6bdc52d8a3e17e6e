import Model
import PostgresKit
import ServerCore

// One-time codes, and how many were sent.
extension PostgresTransaction {
  func insert(_ verification: VerificationRecord, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO verifications (id, phone, code_hash, created_at, resend_at, expires_at, tries, used_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """, .text(verification.id), .text(verification.phone), .bytes(verification.codeHash),
      PostgresValue(verification.createdAt), PostgresValue(verification.resendAt),
      PostgresValue(verification.expiresAt),
      PostgresValue(verification.tries), PostgresValue(verification.usedAt))
  }

  /// The code, and the account of its telephone.
  func addVerification(_ id: String, to box: Box<RequestFacts>, _ batch: inout PostgresBatch) {
    // Anybody may send one, and PostgreSQL has no text with this character.
    guard !id.utf8.contains(0) else { return }
    batch.add(
      """
      SELECT id, phone, code_hash, created_at, resend_at, expires_at, tries, used_at FROM verifications WHERE id = $1
      """, .text(id)
    ) { rows throws(PostgresError) in
      if let found = try rows.first({ row throws(PostgresError) in try VerificationRecord(row: row) }) {
        box.value.verification = found
      }
    }
    batch.add(
      """
      SELECT \(SQL.account)
      FROM verifications JOIN account_phones ON account_phones.phone = verifications.phone
        JOIN accounts ON accounts.account_id = account_phones.account_id
      WHERE verifications.id = $1
      """, .text(id)
    ) { rows throws(PostgresError) in
      guard box.value.verification != nil else { return }
      box.value.verifiedAccount = try rows.first { row throws(PostgresError) in try AccountRecord(row: row) }
    }
    batch.add(
      """
      SELECT EXISTS (
        SELECT 1 FROM verifications JOIN blocked_phones ON blocked_phones.phone = verifications.phone
        WHERE verifications.id = $1
      )
      """, .text(id)
    ) { rows throws(PostgresError) in box.value.isVerifiedPhoneBlocked = try rows.value() ?? false }
  }

  /// Writes how often a code was tried, and when it was used.
  func update(_ verification: VerificationRecord, _ batch: inout PostgresBatch) {
    batch.add(
      "UPDATE verifications SET tries = $1, used_at = $2 WHERE id = $3", PostgresValue(verification.tries),
      PostgresValue(verification.usedAt), .text(verification.id))
  }

  func addLatestResend(_ need: ResendNeed, _ batch: inout PostgresBatch, take: @escaping (Timestamp?) -> Void) {
    batch.add(
      "SELECT max(resend_at) FROM verifications WHERE phone = $1 AND created_at <= $2 AND used_at IS NULL",
      .text(need.phone), PostgresValue(need.upTo)
    ) { rows throws(PostgresError) in take(try rows.value()) }
  }

  func addBlock(of phone: String, _ batch: inout PostgresBatch, take: @escaping (Bool) -> Void) {
    batch.add("SELECT EXISTS (SELECT 1 FROM blocked_phones WHERE phone = $1)", .text(phone)) {
      rows throws(PostgresError) in take(try rows.value() ?? false)
    }
  }

  func addRateCounts(_ need: RateCountNeed, _ batch: inout PostgresBatch, take: @escaping ([RateCount]) -> Void) {
    batch.add(
      """
      SELECT start_at, count FROM rate_counts WHERE key = $1 AND start_at >= $2 AND start_at < $3 ORDER BY start_at
      """, .bytes(need.key), PostgresValue(need.range.lowerBound), PostgresValue(need.range.upperBound)
    ) { rows throws(PostgresError) in
      take(
        try rows.map { row throws(PostgresError) in RateCount(start: try row["start_at"], count: try row["count"]) })
    }
  }

  func add(_ step: RateCountStep, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO rate_counts (key, start_at, count, expires_at) VALUES ($1, $2, 1, $3)
      ON CONFLICT (key, start_at) DO UPDATE SET count = rate_counts.count + 1
      """, .bytes(step.key), PostgresValue(step.start), PostgresValue(step.expiresAt))
  }
}

extension VerificationRecord {
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    self.init(
      id: try row["id"], phone: try row["phone"], codeHash: try row["code_hash"], createdAt: try row["created_at"],
      resendAt: try row["resend_at"], expiresAt: try row["expires_at"], tries: try row["tries"],
      usedAt: try row["used_at"])
  }
}
