import Model
import SQLiteKit
import ServerCore
import Wire

// The alerts of others in an account's inbox.
extension SQLiteServerTransaction {
  func inboxAlert(_ id: InboxID, account: AccountID) throws(StorageError) -> StoredInboxAlert? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT source_account_id, source_alert_id, record FROM inbox WHERE account_id = ? AND id = ?"
      ).row(SQLiteValue(account), SQLiteValue(id)) { row throws(SQLiteError) in
        StoredInboxAlert(
          source: AccountAlert(account: try row["source_account_id"], alert: try row["source_alert_id"]),
          alert: try InboxAlert(row: row))
      }
    }
  }

  func put(_ stored: StoredInboxAlert, in account: AccountID) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO inbox (account_id, id, source_account_id, source_alert_id, ended_at, record) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
      ON CONFLICT (account_id, id) DO UPDATE SET ended_at = ?5, record = ?6
      """
    ).run(
      SQLiteValue(account), SQLiteValue(stored.alert.id), SQLiteValue(stored.source.account),
      SQLiteValue(stored.source.alert), SQLiteValue(stored.alert.endedAt), .text(stored.alert.text))
  }

  func removeInboxAlert(_ id: InboxID, account: AccountID) throws(SQLiteError) {
    try connection.statement("DELETE FROM inbox WHERE account_id = ? AND id = ?")
      .run(SQLiteValue(account), SQLiteValue(id))
  }

  /// Also forgets that they stood there.
  func removeInboxAlerts(endedBefore time: Timestamp, limit: Int) throws(SQLiteError) -> Int {
    try connection.statement(
      """
      DELETE FROM inbox_posts WHERE (account_id, alert_id, inbox_account_id) IN
        (SELECT source_account_id, source_alert_id, account_id FROM inbox INDEXED BY inbox_by_end
         WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ?)
      """
    ).run(SQLiteValue(time), .integer(Int64(limit)))
    try connection.statement(
      """
      DELETE FROM inbox WHERE (account_id, id) IN
        (SELECT account_id, id FROM inbox INDEXED BY inbox_by_end WHERE ended_at IS NOT NULL AND ended_at < ? LIMIT ?)
      """
    ).run(SQLiteValue(time), .integer(Int64(limit)))
    return connection.changedRows
  }
}

extension InboxAlert {
  init(row: borrowing Row) throws(SQLiteError) {
    let text: String = try row["record"]
    self = try stored("record") { () throws(InvalidInput) in
      do throws(JSONError) { return try InboxAlert(text: text) } catch { throw InvalidInput(.body, error.message) }
    }
  }
}
