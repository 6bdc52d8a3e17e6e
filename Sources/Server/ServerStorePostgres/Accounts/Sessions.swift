import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func insert(_ session: SessionRecord, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO sessions (account_id, id, device_name, alert_key_hash, created_at, ended_at, alert_key_ended_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7)
      """, PostgresValue(session.accountID), PostgresValue(session.id), .text(session.deviceName),
      .bytes(session.alertKeyHash), PostgresValue(session.createdAt), PostgresValue(session.endedAt),
      PostgresValue(session.alertKeyEndedAt))
  }

  func addSession(_ id: SessionID, _ batch: inout PostgresBatch, take: @escaping (SessionRecord?) -> Void) {
    batch.add("SELECT \(SQL.session) FROM sessions WHERE id = $1", PostgresValue(id)) { rows throws(PostgresError) in
      take(try rows.first { row throws(PostgresError) in try SessionRecord(row: row) })
    }
  }

  /// Those with a valid alert key, newest first.
  func addSessions(
    of account: AccountID, limit: Int, _ batch: inout PostgresBatch, take: @escaping ([SessionSummary]) -> Void
  ) {
    batch.add(
      """
      SELECT \(SQL.session),
        (SELECT max(greatest(first_used_at, replaced_at)) FROM tokens
          WHERE tokens.account_id = sessions.account_id AND tokens.session_id = sessions.id) AS last_seen_at,
        (SELECT max(refresh_expires_at) FROM tokens
          WHERE tokens.account_id = sessions.account_id AND tokens.session_id = sessions.id) AS newest_refresh_expires_at
      FROM sessions WHERE account_id = $1 AND alert_key_ended_at IS NULL ORDER BY created_at DESC, id DESC LIMIT $2
      """, PostgresValue(account), PostgresValue(limit)
    ) { rows throws(PostgresError) in
      take(
        try rows.map { row throws(PostgresError) in
          SessionSummary(
            session: try SessionRecord(row: row), lastSeenAt: try row["last_seen_at"],
            refreshExpiresAt: try row["newest_refresh_expires_at"])
        })
    }
  }

  func end(_ end: SessionEnd, _ batch: inout PostgresBatch) {
    batch.add(
      """
      UPDATE sessions SET ended_at = coalesce(ended_at, $1),
        alert_key_ended_at = CASE WHEN $2 THEN coalesce(alert_key_ended_at, $1) ELSE alert_key_ended_at END
      WHERE id = $3
      """, PostgresValue(end.at), PostgresValue(end.endsAlertKey), PostgresValue(end.session))
    // Other processes may hold event streams of the session.
    hasMarked = true
    batch.add(
      """
      INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal, changed, changed_by)
      SELECT account_id, 0, 0, $3, $2::uuid FROM sessions WHERE id = $1
      ON CONFLICT (account_id) DO UPDATE SET changed = excluded.changed,
        changed_by = CASE WHEN account_logs.changed_by = $2 THEN $2 END
      """, PostgresValue(end.session), PostgresValue(writer.process), changed)
  }
}

extension SessionRecord {
  /// The columns of `SQL.session`.
  init(row: PostgresRow) throws(PostgresError) {
    self.init(
      id: try row["session_id"], accountID: try row["session_account_id"], deviceName: try row["device_name"],
      alertKeyHash: try row["alert_key_hash"], createdAt: try row["session_created_at"], endedAt: try row["ended_at"],
      alertKeyEndedAt: try row["alert_key_ended_at"])
  }
}
