import Model
import SQLiteKit
import ServerCore

// What an operator sees of all accounts.
extension SQLiteServerTransaction {
  func overview(_ need: OverviewNeed) throws(StorageError) -> OperatorOverview {
    var overview = OperatorOverview()
    overview.activeAlerts = try activeAlerts(need)
    overview.lateMessages = try lateMessages(need)
    overview.failingHosts = try failingHosts(need)
    return overview
  }

  private func activeAlerts(_ need: OverviewNeed) throws(StorageError) -> [OperatorOverview.ActiveAlert] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT account_id, id, received_at, drill, asking_phase, silent_since,
          (SELECT count(*) FROM deliveries WHERE account_id = a.account_id AND alert_id = a.id AND state = 'queued') AS queued,
          (SELECT count(*) FROM deliveries WHERE account_id = a.account_id AND alert_id = a.id
            AND state IN ('sent', 'seen', 'acknowledged')) AS sent,
          (SELECT count(*) FROM deliveries WHERE account_id = a.account_id AND alert_id = a.id AND state = 'failed') AS failed
        FROM (
          SELECT account_id, id, received_at, drill, asking_phase, silent_since FROM alerts WHERE ended_at IS NULL
          ORDER BY drill, coalesce(asking_phase, '') = 'answered', received_at, id LIMIT ?
        ) AS a
        ORDER BY drill, coalesce(asking_phase, '') = 'answered', received_at, id
        """
      ).rows(.integer(Int64(need.limit))) { row throws(SQLiteError) in
        OperatorOverview.ActiveAlert(
          account: try row["account_id"], id: try row["id"], receivedAt: try row["received_at"],
          isDrill: try row["drill"], phase: try row.isNull("asking_phase") ? nil : try row.choice("asking_phase"),
          silentSince: try row["silent_since"], queuedMessages: try row["queued"], sentMessages: try row["sent"],
          failedMessages: try row["failed"])
      }
    }
  }

  private func lateMessages(_ need: OverviewNeed) throws(StorageError) -> [OperatorOverview.LateMessage] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, host, attempts, created_at, due_at, reason FROM deliveries
        WHERE due_at IS NOT NULL AND due_at < ? ORDER BY due_at LIMIT ?
        """
      ).rows(SQLiteValue(need.lateBefore), .integer(Int64(need.limit))) { row throws(SQLiteError) in
        OperatorOverview.LateMessage(
          id: try row["id"], host: try row["host"], attempts: try row["attempts"], createdAt: try row["created_at"],
          dueAt: try row["due_at"], reason: try row["reason"])
      }
    }
  }

  private func failingHosts(_ need: OverviewNeed) throws(StorageError) -> [OperatorOverview.FailingHost] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT host, count(*) AS messages, max(attempts) AS attempts, min(created_at) AS since, max(reason) AS reason
        FROM deliveries WHERE due_at IS NOT NULL AND attempts > 0 AND reason IS NOT NULL
        GROUP BY host ORDER BY messages DESC, host LIMIT ?
        """
      ).rows(.integer(Int64(need.limit))) { row throws(SQLiteError) in
        OperatorOverview.FailingHost(
          host: try row["host"], messages: try row["messages"], attempts: try row["attempts"], since: try row["since"],
          reason: try row["reason"])
      }
    }
  }
}
