import Model
import PostgresKit
import ServerCore

// The pairs of tokens of a session.
extension PostgresTransaction {
  /// With the account of its session.
  func insert(_ tokens: TokenRecord, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO tokens (account_id, session_id, generation, access_hash, refresh_hash, salt, access_expires_at,
        refresh_expires_at, first_used_at, replaced_at)
      SELECT account_id, id, $2::bigint, $3::bytea, $4::bytea, $5::bytea, $6::bigint, $7::bigint, $8::bigint, $9::bigint
      FROM sessions WHERE id = $1
      """, PostgresValue(tokens.sessionID), .integer(tokens.generation), .bytes(tokens.accessHash),
      .bytes(tokens.refreshHash), .bytes(tokens.salt), PostgresValue(tokens.accessExpiresAt),
      PostgresValue(tokens.refreshExpiresAt), PostgresValue(tokens.firstUsedAt), PostgresValue(tokens.replacedAt))
  }

  /// A refresh token that was shown, with its session and its successor.
  /// - Parameter account: where to look; nil for all.
  func addRefresh(
    _ hash: [UInt8], of account: AccountID?, to box: Box<RequestFacts>, _ batch: inout PostgresBatch
  ) {
    batch.add(
      """
      SELECT \(SQL.tokens), \(SQL.session)
      FROM tokens JOIN sessions ON sessions.account_id = tokens.account_id AND sessions.id = tokens.session_id
      WHERE tokens.refresh_hash = $1 \(SQL.ofAccount(account, "tokens"))
      """, PostgresValue.parameters(hash, of: account)
    ) { rows throws(PostgresError) in
      box.value.refresh = try rows.first { row throws(PostgresError) in
        RefreshFacts(shown: try TokenRecord(row: row), session: try SessionRecord(row: row), successor: nil)
      }
    }
    batch.add(
      """
      SELECT \(SQL.tokens) FROM tokens JOIN tokens AS shown
        ON shown.account_id = tokens.account_id AND shown.session_id = tokens.session_id
          AND shown.generation + 1 = tokens.generation
      WHERE shown.refresh_hash = $1 \(SQL.ofAccount(account, "shown"))
      """, PostgresValue.parameters(hash, of: account)
    ) { rows throws(PostgresError) in
      box.value.refresh?.successor = try rows.first { row throws(PostgresError) in try TokenRecord(row: row) }
    }
  }

  /// Whether a process is alive that makes successors without a name.
  func addOlderPrograms(to box: Box<RequestFacts>, _ batch: inout PostgresBatch) {
    batch.add("SELECT EXISTS (SELECT 1 FROM processes WHERE steps < $1)", .integer(Self.stepsOfNames)) {
      rows throws(PostgresError) in box.value.servesOlder = try rows.value() ?? false
    }
  }

  /// How many steps the first program knows that makes tokens that name their account.
  private static let stepsOfNames: Int64 = 11

  func updateTimes(of tokens: TokenRecord, _ batch: inout PostgresBatch) {
    batch.add(
      """
      UPDATE tokens SET access_expires_at = $1, refresh_expires_at = $2, first_used_at = $3, replaced_at = $4
      WHERE account_id IN (SELECT account_id FROM sessions WHERE id = $5) AND session_id = $5 AND generation = $6
      """, PostgresValue(tokens.accessExpiresAt), PostgresValue(tokens.refreshExpiresAt),
      PostgresValue(tokens.firstUsedAt), PostgresValue(tokens.replacedAt), PostgresValue(tokens.sessionID),
      .integer(tokens.generation))
  }
}

extension TokenRecord {
  /// The columns of `SQL.tokens`.
  init(row: PostgresRow) throws(PostgresError) {
    self.init(
      sessionID: try row["token_session_id"], generation: try row["generation"], accessHash: try row["access_hash"],
      refreshHash: try row["refresh_hash"], salt: try row["salt"], accessExpiresAt: try row["access_expires_at"],
      refreshExpiresAt: try row["refresh_expires_at"], firstUsedAt: try row["first_used_at"],
      replacedAt: try row["replaced_at"])
  }
}

// A hash of a credential, looked for in the account that the credential names, or in all.
extension SQL {
  static func ofAccount(_ account: AccountID?, _ table: String) -> String {
    account == nil ? "" : "AND \(table).account_id = $2"
  }
}

extension PostgresValue {
  static func parameters(_ hash: [UInt8], of account: AccountID?) -> [PostgresValue] {
    [.bytes(hash)] + [account].compactMap(\.self).map { PostgresValue($0) }
  }
}
