package import Model
import SQLiteKit
package import ServerCore

// When responders are asked again.
extension SQLiteServerTransaction {
  package func alertsToAskAbout(
    dueAt now: Timestamp, orAfter latest: Timestamp, limit: Int
  ) throws(StorageError) -> [AccountAlert] {
    let rows = try storing { () throws(SQLiteError) in
      let due = try connection.statement(
        """
        SELECT account_id, id AS alert_id FROM alerts INDEXED BY alerts_asking
        WHERE asking_due_at IS NOT NULL AND asking_due_at <= ? ORDER BY asking_due_at LIMIT ?
        """
      ).rows(SQLiteValue(now), .integer(Int64(limit)), row: AccountAlertRow.init(row:))
      guard due.isEmpty else { return due }
      return try connection.statement(
        """
        SELECT account_id, id AS alert_id FROM alerts INDEXED BY alerts_asking
        WHERE asking_due_at IS NOT NULL AND asking_due_at > ? ORDER BY asking_due_at LIMIT ?
        """
      ).rows(SQLiteValue(latest), .integer(Int64(limit)), row: AccountAlertRow.init(row:))
    }
    for row in rows where row.alert == nil { try postponeAsking(row.account, row.id, to: nil) }
    return rows.compactMap(\.alert)
  }

  package func postponeAsking(about asked: AccountAlert, to time: Timestamp) throws(StorageError) {
    try postponeAsking(asked.account.description, asked.alert.description, to: time)
  }

  private func postponeAsking(_ account: String, _ alert: String, to time: Timestamp?) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE alerts SET asking_due_at = ? WHERE account_id = ? AND id = ?")
        .run(SQLiteValue(time), .text(account), .text(alert))
    }
  }

  func firstAsking() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT min(asking_due_at) FROM alerts INDEXED BY alerts_asking WHERE asking_due_at IS NOT NULL"
      ).value()
    }
  }

  func lastAsking() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT max(asking_due_at) FROM alerts INDEXED BY alerts_asking WHERE asking_due_at IS NOT NULL"
      ).value()
    }
  }
}
