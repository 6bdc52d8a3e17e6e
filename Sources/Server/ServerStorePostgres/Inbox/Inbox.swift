import Model
import PostgresKit
import ServerCore
import Wire

// The alerts of others in an account's inbox, and which alerts are to be written into which.
extension PostgresTransaction {
  func put(_ stored: StoredInboxAlert, in account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO inbox (account_id, id, source_account_id, source_alert_id, ended_at, record) VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (account_id, id) DO UPDATE SET ended_at = $5, record = $6
      """, PostgresValue(account), PostgresValue(stored.alert.id), PostgresValue(stored.source.account),
      PostgresValue(stored.source.alert), PostgresValue(stored.alert.endedAt), .text(stored.alert.text))
  }

  func removeInboxAlert(_ id: InboxID, account: AccountID, _ batch: inout PostgresBatch) {
    batch.add("DELETE FROM inbox WHERE account_id = $1 AND id = $2", PostgresValue(account), PostgresValue(id))
  }

  /// Where a responder has an inbox, or the alert stands in one.
  func markInboxDue(_ alert: AlertID, account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO inbox_due (account_id, alert_id, position)
      SELECT $1, $2, $3 WHERE EXISTS (
          SELECT 1 FROM contacts JOIN account_phones ON account_phones.phone = contacts.phone
          WHERE contacts.account_id = $1 AND contacts.is_responder)
        OR EXISTS (SELECT 1 FROM inbox_posts WHERE account_id = $1 AND alert_id = $2)
      ON CONFLICT (account_id, alert_id) DO NOTHING
      """, PostgresValue(account), PostgresValue(alert), changed)
  }

  /// The active alerts of those who named the number as a responder's: it has an account now.
  func markInboxDue(ofAlertsNaming phone: String, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO inbox_due (account_id, alert_id, position)
      SELECT DISTINCT alerts.account_id, alerts.id, $2::bigint
      FROM contacts JOIN alerts ON alerts.account_id = contacts.account_id
      WHERE contacts.phone = $1 AND contacts.is_responder AND alerts.ended_at IS NULL AND alerts.notified_at IS NOT NULL
      ON CONFLICT (account_id, alert_id) DO NOTHING
      """, .text(phone), changed)
  }

  /// Those whose inbox is not that of a responder any more: the alert is taken out of it.
  func markInboxDue(ofFormerRespondersOf account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      """
      INSERT INTO inbox_due (account_id, alert_id, position)
      SELECT DISTINCT inbox_posts.account_id, inbox_posts.alert_id, $2::bigint
      FROM inbox_posts JOIN accounts ON accounts.account_id = inbox_posts.inbox_account_id
      WHERE inbox_posts.account_id = $1
        AND accounts.phone NOT IN (SELECT phone FROM contacts WHERE account_id = $1 AND is_responder)
      ON CONFLICT (account_id, alert_id) DO NOTHING
      """, PostgresValue(account), changed)
  }

  func alertsToPost(limit: Int) throws(StorageError) -> [AccountAlert] {
    try rows(
      """
      SELECT account_id, alert_id FROM inbox_due WHERE position >= $2 ORDER BY position, account_id, alert_id LIMIT $1
      """, PostgresValue(limit), .integer(floors.inboxPosition)
    ) { row throws(PostgresError) in AccountAlert(account: try row["account_id"], alert: try row["alert_id"]) }
  }

  func endPosting(of alert: AccountAlert) throws(StorageError) {
    try change(
      "DELETE FROM inbox_due WHERE account_id = $1 AND alert_id = $2", PostgresValue(alert.account),
      PostgresValue(alert.alert))
  }

  func responderInboxes(of alert: AccountAlert) throws(StorageError) -> [ResponderInbox] {
    try rows(
      """
      SELECT account_id, phone FROM accounts WHERE account_id <> $1 AND account_id IN (
        SELECT account_phones.account_id FROM account_phones JOIN contacts ON contacts.phone = account_phones.phone
          WHERE contacts.account_id = $1 AND contacts.is_responder
        UNION SELECT inbox_account_id FROM inbox_posts WHERE account_id = $1 AND alert_id = $2)
      ORDER BY account_id
      """, PostgresValue(alert.account), PostgresValue(alert.alert)
    ) { row throws(PostgresError) in ResponderInbox(account: try row["account_id"], phone: try row["phone"]) }
  }

  func notePosting(of alert: AccountAlert, to inbox: AccountID, stands: Bool) throws(StorageError) {
    try change(
      stands
        ? """
        INSERT INTO inbox_posts (account_id, alert_id, inbox_account_id) VALUES ($1, $2, $3)
        ON CONFLICT (account_id, alert_id, inbox_account_id) DO NOTHING
        """ : "DELETE FROM inbox_posts WHERE account_id = $1 AND alert_id = $2 AND inbox_account_id = $3",
      PostgresValue(alert.account), PostgresValue(alert.alert), PostgresValue(inbox))
  }
}

extension StoredInboxAlert {
  /// The columns `source_account_id`, `source_alert_id` and `record`.
  init(row: PostgresRow) throws(PostgresError) {
    self.init(
      source: AccountAlert(account: try row["source_account_id"], alert: try row["source_alert_id"]),
      alert: try InboxAlert(row: row))
  }
}

extension InboxAlert {
  init(row: PostgresRow) throws(PostgresError) {
    let text: String = try row["record"]
    self = try stored("record") { () throws(InvalidInput) in
      do throws(JSONError) { return try InboxAlert(text: text) } catch { throw InvalidInput(.body, error.message) }
    }
  }
}
