package import Model
import SQLiteKit
package import ServerCore

// Accounts.
extension SQLiteServerTransaction {
  package func account(_ id: AccountID) throws(StorageError) -> AccountRecord? {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT id, phone, epoch, created_at, name FROM accounts WHERE id = ?")
        .row(SQLiteValue(id), row: AccountRecord.init(row:))
    }
  }

  package func account(phone: String) throws(StorageError) -> AccountRecord? {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT id, phone, epoch, created_at, name FROM accounts WHERE phone = ?")
        .row(.text(phone), row: AccountRecord.init(row:))
    }
  }

  func insertAccount(_ account: AccountRecord) throws(SQLiteError) {
    try connection.statement("INSERT INTO accounts (id, phone, epoch, created_at, name) VALUES (?, ?, ?, ?, ?)")
      .run(
        SQLiteValue(account.id), .text(account.phone), .text(account.epoch), SQLiteValue(account.createdAt),
        SQLiteValue(account.profile?.name))
    try markInboxDue(ofAlertsNaming: account.phone)
  }

  func setProfile(_ profile: Profile, of account: AccountID) throws(SQLiteError) {
    try connection.statement("UPDATE accounts SET name = ? WHERE id = ?")
      .run(.text(profile.name), SQLiteValue(account))
  }

  /// Starts a new history of the account, and forgets every cursor of the old one.
  func setEpoch(_ epoch: String, of account: AccountID) throws(SQLiteError) {
    try connection.statement("UPDATE accounts SET epoch = ? WHERE id = ?").run(.text(epoch), SQLiteValue(account))
    try connection.statement("DELETE FROM cursors WHERE account_id = ?").run(SQLiteValue(account))
  }
}

// Sessions.
extension SQLiteServerTransaction {
  func insertSession(_ session: SessionRecord) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO sessions (id, account_id, device_name, alert_key_hash, created_at, ended_at, alert_key_ended_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(session.id), SQLiteValue(session.accountID), .text(session.deviceName),
      .blob(session.alertKeyHash), SQLiteValue(session.createdAt), SQLiteValue(session.endedAt),
      SQLiteValue(session.alertKeyEndedAt))
  }

  func session(_ id: SessionID) throws(StorageError) -> SessionRecord? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, account_id, device_name, alert_key_hash, created_at, ended_at, alert_key_ended_at
        FROM sessions WHERE id = ?
        """
      ).row(SQLiteValue(id), row: SessionRecord.init(row:))
    }
  }

  func session(alertKeyHash: [UInt8]) throws(StorageError) -> SessionRecord? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, account_id, device_name, alert_key_hash, created_at, ended_at, alert_key_ended_at
        FROM sessions WHERE alert_key_hash = ?
        """
      ).row(.blob(alertKeyHash), row: SessionRecord.init(row:))
    }
  }

  func livingSessions(of account: AccountID, limit: Int) throws(StorageError) -> [SessionSummary] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, account_id, device_name, alert_key_hash, created_at, ended_at, alert_key_ended_at,
          (SELECT max(max(coalesce(first_used_at, replaced_at), coalesce(replaced_at, first_used_at)))
            FROM tokens WHERE session_id = sessions.id) AS last_seen_at,
          (SELECT max(refresh_expires_at) FROM tokens WHERE session_id = sessions.id) AS newest_refresh_expires_at
        FROM sessions WHERE account_id = ? AND alert_key_ended_at IS NULL ORDER BY created_at DESC, id DESC LIMIT ?
        """
      ).rows(SQLiteValue(account), .integer(Int64(limit))) { row in
        SessionSummary(
          session: try SessionRecord(row: row), lastSeenAt: try row["last_seen_at"],
          refreshExpiresAt: try row["newest_refresh_expires_at"])
      }
    }
  }

  func endSession(_ end: SessionEnd) throws(SQLiteError) {
    try connection.statement(
      """
      UPDATE sessions SET ended_at = coalesce(ended_at, ?1),
        alert_key_ended_at = CASE WHEN ?2 THEN coalesce(alert_key_ended_at, ?1) ELSE alert_key_ended_at END
      WHERE id = ?3
      """
    ).run(SQLiteValue(end.at), SQLiteValue(end.endsAlertKey), SQLiteValue(end.session))
  }

  func removeSessions(endedBefore time: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try connection.statement(
      """
      DELETE FROM sessions WHERE rowid IN (SELECT rowid FROM sessions WHERE alert_key_ended_at < ? LIMIT ?)
      """
    ).run(SQLiteValue(time), .integer(Int64(limit)))
    return connection.changedRows
  }
}

extension AccountRecord {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      id: try row["id"], phone: try row["phone"], epoch: try row["epoch"], createdAt: try row["created_at"],
      profile: try Profile(row: row, "name"))
  }
}

extension Profile {
  /// Nil where the column is null.
  init?(row: borrowing Row, _ column: StaticString) throws(SQLiteError) {
    guard let name = try row[column, as: String?.self] else { return nil }
    self = try stored(column) { () throws(InvalidInput) in try Profile(name: name) }
  }
}

extension SessionRecord {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      id: try row["id"], accountID: try row["account_id"], deviceName: try row["device_name"],
      alertKeyHash: try row["alert_key_hash"], createdAt: try row["created_at"], endedAt: try row["ended_at"],
      alertKeyEndedAt: try row["alert_key_ended_at"])
  }
}
