import Model
import PostgresKit
import ServerCore

// What an operator does with one account.
extension PostgresTransaction {
  func account(phone: String) throws(StorageError) -> AccountRecord? {
    try row(
      """
      SELECT \(SQL.account) FROM account_phones JOIN accounts ON accounts.account_id = account_phones.account_id
      WHERE account_phones.phone = $1
      """, .text(phone)
    ) { row throws(PostgresError) in try AccountRecord(row: row) }
  }

  func sessions(of account: AccountID, limit: Int) throws(StorageError) -> [SessionSummary] {
    var sessions: [SessionSummary] = []
    var batch = PostgresBatch()
    addSessions(of: account, limit: limit, &batch) { sessions = $0 }
    try run(batch)
    return sessions
  }

  func block(of phone: String) throws(StorageError) -> PhoneBlock? {
    try row("SELECT since, is_for_removal FROM blocked_phones WHERE phone = $1", .text(phone)) {
      row throws(PostgresError) in
      PhoneBlock(since: try row["since"], isForRemoval: try row["is_for_removal"])
    }
  }

  func addBlock(_ block: PhoneBlock, of phone: String) throws(StorageError) {
    try change(
      """
      INSERT INTO blocked_phones (phone, since, is_for_removal) VALUES ($1, $2, $3)
      ON CONFLICT (phone) DO UPDATE SET is_for_removal = blocked_phones.is_for_removal AND excluded.is_for_removal
      """, .text(phone), PostgresValue(block.since), PostgresValue(block.isForRemoval))
  }

  func liftBlock(of phone: String) throws(StorageError) {
    try change("DELETE FROM blocked_phones WHERE phone = $1", .text(phone))
  }

  func retriedMessages(limit: Int) throws(StorageError) -> [FailingMessage] {
    try rows(
      """
      SELECT id, account_id, alert_id, host, state, attempts, created_at, due_at, reason FROM deliveries
      WHERE due_at IS NOT NULL AND attempts > 0 AND reason IS NOT NULL ORDER BY due_at LIMIT $1
      """, PostgresValue(limit)
    ) { row throws(PostgresError) in try FailingMessage(row: row) }
  }

  func failedMessagesOfActiveAlerts(limit: Int) throws(StorageError) -> [FailingMessage] {
    try rows(
      """
      SELECT d.id, d.account_id, d.alert_id, d.host, d.state, d.attempts, d.created_at, d.due_at, d.reason
      FROM alerts AS a JOIN deliveries AS d ON d.account_id = a.account_id AND d.alert_id = a.id
      WHERE a.ended_at IS NULL AND d.state = 'failed' AND NOT d.is_dropped LIMIT $1
      """, PostgresValue(limit)
    ) { row throws(PostgresError) in try FailingMessage(row: row) }
  }

  func rows(of account: AccountID, in table: AccountTable) throws(StorageError) -> [String] {
    var all: [String] = []
    for (name, key) in table.places { all += try rows(of: account, in: name, by: key) }
    return all
  }

  private func rows(of account: AccountID, in name: String, by key: String) throws(StorageError) -> [String] {
    // Who has the link in an alert of somebody else can answer it.
    let told = name == "inbox" ? " || jsonb_build_object('record', (record::jsonb - 'page_url')::text)" : ""
    return try rows(
      "SELECT (to_jsonb(\(name)) - '\(Self.hidden)'::text[]\(told))::text AS row FROM \(name) WHERE account_id = $1 ORDER BY \(key)",
      PostgresValue(account)
    ) { row throws(PostgresError) in try row["row"] }
  }

  /// Keys and hashes, how the server's processes follow each other, and where they begin to look.
  private static let hidden = "{key,alert_key_hash,access_hash,refresh_hash,salt,changed,changed_by,active_from,holder}"

  func removeRows(of account: AccountID, in table: AccountTable, limit: Int) throws(StorageError) -> Int {
    // The schedule of deliveries is read again.
    if table == .deliveries { schedule.forget() }
    if table == .accountLogs || table == .deliveries { try keepNumber() }
    if table == .accounts {
      try change(
        "DELETE FROM account_phones WHERE phone = (SELECT phone FROM accounts WHERE account_id = $1)",
        PostgresValue(account))
    }
    var count = 0
    for (name, key) in table.places where count < limit {
      count += try change(
        """
        DELETE FROM \(name) WHERE account_id = $1
          AND (\(key)) IN (SELECT \(key) FROM \(name) WHERE account_id = $1 LIMIT $2)
        """, PostgresValue(account), PostgresValue(limit - count))
    }
    return count
  }

  /// The newest number may be in rows that go: the next transactions have later ones nevertheless.
  private func keepNumber() throws(StorageError) {
    try begin()
    try change("UPDATE writer SET version = $1 WHERE id = 1", changed)
  }
}

extension AccountTable {
  /// The tables here, and the columns that, with the account, tell their rows apart. Older programs have a table of their own for some.
  fileprivate var places: [(name: String, key: String)] {
    switch self {
    case .alertBuckets: [(rawValue, key), ("alert_levels", "session_id, is_of_alert_key, full_at")]
    case .deviceContacts: [(rawValue, key), ("last_contacts", "device_id, last_contact_at")]
    default: [(rawValue, key)]
    }
  }
}

extension FailingMessage {
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    self.init(
      id: try row["id"], alert: AccountAlert(account: try row["account_id"], alert: try row["alert_id"]),
      host: try row["host"], state: try row.choice("state"), attempts: try row["attempts"],
      createdAt: try row["created_at"], dueAt: try row["due_at"], reason: try row["reason"])
  }
}
