package import Model
import SQLiteKit
package import ServerCore

// When responders are asked again.
extension SQLiteServerTransaction {
  package func alertsToAskAbout(
    dueAt now: Timestamp, orAfter latest: Timestamp, limit: Int
  ) throws(StorageError) -> [AccountAlert] {
    try storing { () throws(SQLiteError) in
      let due = try connection.statement(
        """
        SELECT account_id, id FROM alerts INDEXED BY alerts_asking
        WHERE asking_due_at IS NOT NULL AND asking_due_at <= ? ORDER BY asking_due_at LIMIT ?
        """
      ).rows(SQLiteValue(now), .integer(Int64(limit)), row: AccountAlert.init(row:))
      guard due.isEmpty else { return due }
      return try connection.statement(
        """
        SELECT account_id, id FROM alerts INDEXED BY alerts_asking
        WHERE asking_due_at IS NOT NULL AND asking_due_at > ? ORDER BY asking_due_at LIMIT ?
        """
      ).rows(SQLiteValue(latest), .integer(Int64(limit)), row: AccountAlert.init(row:))
    }
  }

  package func firstAsking() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT min(asking_due_at) FROM alerts INDEXED BY alerts_asking WHERE asking_due_at IS NOT NULL"
      ).value()
    }
  }

  package func lastAsking() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT max(asking_due_at) FROM alerts INDEXED BY alerts_asking WHERE asking_due_at IS NOT NULL"
      ).value()
    }
  }
}

extension AccountAlert {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    self.init(account: try row["account_id"], alert: try row["id"])
  }
}
