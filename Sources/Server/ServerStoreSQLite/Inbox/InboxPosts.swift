package import Model
import SQLiteKit
package import ServerCore

// Which alerts are to be written into which inboxes.
extension SQLiteServerTransaction {
  /// Where a responder has an inbox, or the alert stands in one.
  func markInboxDue(_ alert: AlertID, account: AccountID) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT OR IGNORE INTO inbox_due (account_id, alert_id)
        SELECT ?1, ?2 WHERE EXISTS (
            SELECT 1 FROM contacts JOIN accounts ON accounts.phone = contacts.phone
            WHERE contacts.account_id = ?1 AND contacts.is_responder = 1)
          OR EXISTS (SELECT 1 FROM inbox_posts WHERE account_id = ?1 AND alert_id = ?2)
      """
    ).run(SQLiteValue(account), SQLiteValue(alert))
  }

  /// The active alerts of those who named the number as a responder's: it has an account now.
  func markInboxDue(ofAlertsNaming phone: String) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT OR IGNORE INTO inbox_due (account_id, alert_id)
        SELECT alerts.account_id, alerts.id FROM contacts INDEXED BY contacts_by_responder_phone
          JOIN alerts INDEXED BY alerts_active ON alerts.account_id = contacts.account_id
        WHERE contacts.phone = ? AND contacts.is_responder = 1 AND alerts.ended_at IS NULL
          AND alerts.notified_at IS NOT NULL
      """
    ).run(.text(phone))
  }

  /// Those whose inbox is not that of a responder any more: the alert is taken out of it.
  func markInboxDue(ofFormerRespondersOf account: AccountID) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT OR IGNORE INTO inbox_due (account_id, alert_id)
        SELECT inbox_posts.account_id, inbox_posts.alert_id FROM inbox_posts
          JOIN accounts ON accounts.id = inbox_posts.inbox_account_id
        WHERE inbox_posts.account_id = ?1
          AND accounts.phone NOT IN (SELECT phone FROM contacts WHERE account_id = ?1 AND is_responder = 1)
      """
    ).run(SQLiteValue(account))
  }

  package func alertsToPost(limit: Int) throws(StorageError) -> [AccountAlert] {
    let rows = try rowsToPost(limit: limit)
    for row in rows where row.alert == nil { try endPosting(row.account, row.id) }
    return rows.compactMap(\.alert)
  }

  /// Also where the row cannot be read.
  func hasAlertsToPost() throws(StorageError) -> Bool { try !rowsToPost(limit: 1).isEmpty }

  private func rowsToPost(limit: Int) throws(StorageError) -> [AccountAlertRow] {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT account_id, alert_id FROM inbox_due ORDER BY position LIMIT ?")
        .rows(.integer(Int64(limit)), row: AccountAlertRow.init(row:))
    }
  }

  package func endPosting(of alert: AccountAlert) throws(StorageError) {
    try endPosting(alert.account.description, alert.alert.description)
  }

  private func endPosting(_ account: String, _ alert: String) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("DELETE FROM inbox_due WHERE account_id = ? AND alert_id = ?")
        .run(.text(account), .text(alert))
    }
  }

  package func responderInboxes(of alert: AccountAlert) throws(StorageError) -> [ResponderInbox] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, phone FROM accounts WHERE id <> ?1 AND (
          phone IN (SELECT phone FROM contacts WHERE account_id = ?1 AND is_responder = 1)
          OR id IN (SELECT inbox_account_id FROM inbox_posts WHERE account_id = ?1 AND alert_id = ?2))
        ORDER BY id
        """
      ).rows(SQLiteValue(alert.account), SQLiteValue(alert.alert)) { row in
        ResponderInbox(account: try row["id"], phone: try row["phone"])
      }
    }
  }

  package func notePosting(of alert: AccountAlert, to inbox: AccountID, stands: Bool) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      let statement =
        stands
        ? try connection.statement(
          "INSERT OR IGNORE INTO inbox_posts (account_id, alert_id, inbox_account_id) VALUES (?, ?, ?)")
        : try connection.statement(
          "DELETE FROM inbox_posts WHERE account_id = ? AND alert_id = ? AND inbox_account_id = ?")
      try statement.run(SQLiteValue(alert.account), SQLiteValue(alert.alert), SQLiteValue(inbox))
    }
  }
}
