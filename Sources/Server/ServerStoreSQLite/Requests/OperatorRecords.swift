package import Model
import SQLiteKit
package import ServerCore

// What an operator does with one account.
extension SQLiteServerTransaction {
  package func sessions(of account: AccountID, limit: Int) throws(StorageError) -> [SessionSummary] {
    try livingSessions(of: account, limit: limit)
  }

  package func block(of phone: String) throws(StorageError) -> PhoneBlock? {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT since, is_for_removal FROM blocked_phones WHERE phone = ?")
        .row(.text(phone)) { row throws(SQLiteError) in
          PhoneBlock(since: try row["since"], isForRemoval: try row["is_for_removal"])
        }
    }
  }

  package func addBlock(_ block: PhoneBlock, of phone: String) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        INSERT INTO blocked_phones (phone, since, is_for_removal) VALUES (?, ?, ?)
        ON CONFLICT (phone) DO UPDATE SET is_for_removal = min(is_for_removal, excluded.is_for_removal)
        """
      ).run(.text(phone), SQLiteValue(block.since), SQLiteValue(block.isForRemoval))
    }
  }

  package func liftBlock(of phone: String) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("DELETE FROM blocked_phones WHERE phone = ?").run(.text(phone))
    }
  }

  package func retriedMessages(limit: Int) throws(StorageError) -> [FailingMessage] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, account_id, alert_id, host, state, attempts, created_at, due_at, reason FROM deliveries
        WHERE due_at IS NOT NULL AND attempts > 0 AND reason IS NOT NULL ORDER BY due_at LIMIT ?
        """
      ).rows(.integer(Int64(limit)), row: FailingMessage.init(row:))
    }
  }

  package func failedMessagesOfActiveAlerts(limit: Int) throws(StorageError) -> [FailingMessage] {
    try storing { () throws(SQLiteError) in
      // By the active alerts: there are more messages than those.
      try connection.statement(
        """
        SELECT d.id, d.account_id, d.alert_id, d.host, d.state, d.attempts, d.created_at, d.due_at, d.reason
        FROM alerts AS a CROSS JOIN deliveries AS d ON d.account_id = a.account_id AND d.alert_id = a.id
        WHERE a.ended_at IS NULL AND d.state = 'failed' AND d.is_dropped = 0 LIMIT ?
        """
      ).rows(.integer(Int64(limit)), row: FailingMessage.init(row:))
    }
  }

  package func rows(of account: AccountID, in table: AccountTable) throws(StorageError) -> [String] {
    try storing { () throws(SQLiteError) in
      // Keys and hashes are blobs.
      let columns = try connection.statement("SELECT name FROM pragma_table_info(?) WHERE type <> 'BLOB'")
        .rows(.text(table.rawValue)) { row throws(SQLiteError) in try row["name", as: String.self] }
      let members = columns.map { "'\($0)', \(Self.told($0, of: table))" }.joined(separator: ", ")
      return try connection.statement(
        ofNames:
          "SELECT json_object(\(members)) AS row FROM \(table.rawValue) WHERE \(Self.owner(table)) ORDER BY \(Self.key(table))"
      ).rows(SQLiteValue(account)) { row throws(SQLiteError) in try row["row"] }
    }
  }

  package func removeRows(of account: AccountID, in table: AccountTable, limit: Int) throws(StorageError) -> Int {
    // The schedule of deliveries is read again.
    if table == .deliveries { keeper.forget() }
    return try storing { () throws(SQLiteError) in
      let (name, key, owner) = (table.rawValue, Self.key(table), Self.owner(table))
      try connection.statement(
        ofNames:
          "DELETE FROM \(name) WHERE \(owner) AND (\(key)) IN (SELECT \(key) FROM \(name) WHERE \(owner) LIMIT ?2)"
      ).run(SQLiteValue(account), .integer(Int64(limit)))
      return connection.changedRows
    }
  }

  /// Who has the link in an alert of somebody else can answer it.
  private static func told(_ column: String, of table: AccountTable) -> String {
    table == .inbox && column == "record" ? "json_remove(record, '$.page_url')" : column
  }

  private static func key(_ table: AccountTable) -> String { table == .accounts ? "id" : table.key }

  private static func owner(_ table: AccountTable) -> String {
    switch table {
    case .accounts: "id = ?1"
    case .tokens: "session_id IN (SELECT id FROM sessions WHERE account_id = ?1)"
    default: "account_id = ?1"
    }
  }
}

extension FailingMessage {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      id: try row["id"], alert: AccountAlert(account: try row["account_id"], alert: try row["alert_id"]),
      host: try row["host"], state: try row.choice("state"), attempts: try row["attempts"],
      createdAt: try row["created_at"], dueAt: try row["due_at"], reason: try row["reason"])
  }
}
