package import Model
import SQLiteKit
package import ServerCore

// Accounts.
extension SQLiteServerTransaction {
  package func account(_ id: AccountID) throws(StorageError) -> AccountRecord? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement("SELECT id, phone, epoch, created_at FROM accounts WHERE id = ?")
      try statement.bind(SQLiteValue(id))
      return try statement.firstRow { () throws(SQLiteError) in try Self.account(statement) }
    }
  }

  func account(phone: String) throws(StorageError) -> AccountRecord? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement("SELECT id, phone, epoch, created_at FROM accounts WHERE phone = ?")
      try statement.bind(.text(phone))
      return try statement.firstRow { () throws(SQLiteError) in try Self.account(statement) }
    }
  }

  private static func account(_ row: Statement) throws(SQLiteError) -> AccountRecord {
    AccountRecord(id: try row.identifier(0), phone: row.text(1), epoch: row.text(2), createdAt: row.timestamp(3))
  }

  func insertAccount(_ account: AccountRecord) throws(SQLiteError) {
    try connection.statement("INSERT INTO accounts (id, phone, epoch, created_at) VALUES (?, ?, ?, ?)")
      .run(SQLiteValue(account.id), .text(account.phone), .text(account.epoch), SQLiteValue(account.createdAt))
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
      let statement = try connection.statement(
        """
        SELECT id, account_id, device_name, alert_key_hash, created_at, ended_at, alert_key_ended_at
        FROM sessions WHERE id = ?
        """
      )
      try statement.bind(SQLiteValue(id))
      return try statement.firstRow { () throws(SQLiteError) in try Self.session(statement) }
    }
  }

  func session(alertKeyHash: [UInt8]) throws(StorageError) -> SessionRecord? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, account_id, device_name, alert_key_hash, created_at, ended_at, alert_key_ended_at
        FROM sessions WHERE alert_key_hash = ?
        """
      )
      try statement.bind(.blob(alertKeyHash))
      return try statement.firstRow { () throws(SQLiteError) in try Self.session(statement) }
    }
  }

  func livingSessions(of account: AccountID, limit: Int) throws(StorageError) -> [SessionSummary] {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, account_id, device_name, alert_key_hash, created_at, ended_at, alert_key_ended_at,
          (SELECT max(max(coalesce(first_used_at, replaced_at), coalesce(replaced_at, first_used_at)))
            FROM tokens WHERE session_id = sessions.id),
          (SELECT max(refresh_expires_at) FROM tokens WHERE session_id = sessions.id)
        FROM sessions WHERE account_id = ? AND alert_key_ended_at IS NULL ORDER BY created_at DESC, id DESC LIMIT ?
        """
      )
      try statement.bind(SQLiteValue(account), .integer(Int64(limit)))
      return try statement.rows { () throws(SQLiteError) in
        SessionSummary(
          session: try Self.session(statement), lastSeenAt: statement.optionalTimestamp(7),
          refreshExpiresAt: statement.optionalTimestamp(8))
      }
    }
  }

  private static func session(_ row: Statement) throws(SQLiteError) -> SessionRecord {
    SessionRecord(
      id: try row.identifier(0), accountID: try row.identifier(1), deviceName: row.text(2), alertKeyHash: row.blob(3),
      createdAt: row.timestamp(4), endedAt: row.optionalTimestamp(5), alertKeyEndedAt: row.optionalTimestamp(6))
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
