import Model
import PostgresKit
import ServerCore

// What an operator sees of all accounts. On several shards each of these statements asks all of them.
extension PostgresTransaction {
  func addOverview(_ need: OverviewNeed, to box: Box<RequestFacts>, _ batch: inout PostgresBatch) {
    addActiveAlerts(need, &batch) { box.value.overview.activeAlerts = $0 }
    addLateMessages(need, &batch) { box.value.overview.lateMessages = $0 }
    addFailingHosts(need, &batch) { box.value.overview.failingHosts = $0 }
  }

  private func addActiveAlerts(
    _ need: OverviewNeed, _ batch: inout PostgresBatch, take: @escaping ([OperatorOverview.ActiveAlert]) -> Void
  ) {
    batch.add(
      """
      SELECT a.account_id, a.id, a.received_at, a.drill, a.asking_phase, a.silent_since,
        count(d.id) FILTER (WHERE d.state = 'queued') AS queued,
        count(d.id) FILTER (WHERE d.state IN ('sent', 'seen', 'acknowledged')) AS sent,
        count(d.id) FILTER (WHERE d.state = 'failed') AS failed
      FROM (
        SELECT account_id, id, received_at, drill, asking_phase, silent_since FROM alerts WHERE ended_at IS NULL
        ORDER BY drill, coalesce(asking_phase, '') = 'answered', received_at, id LIMIT $1
      ) AS a LEFT JOIN deliveries AS d ON d.account_id = a.account_id AND d.alert_id = a.id
      GROUP BY a.account_id, a.id, a.received_at, a.drill, a.asking_phase, a.silent_since
      ORDER BY a.drill, coalesce(a.asking_phase, '') = 'answered', a.received_at, a.id
      """, PostgresValue(need.limit)
    ) { rows throws(PostgresError) in
      take(
        try rows.map { row throws(PostgresError) in
          OperatorOverview.ActiveAlert(
            account: try row["account_id"], id: try row["id"], receivedAt: try row["received_at"],
            isDrill: try row["drill"], phase: try row.isNull("asking_phase") ? nil : try row.choice("asking_phase"),
            silentSince: try row["silent_since"], queuedMessages: try row["queued"], sentMessages: try row["sent"],
            failedMessages: try row["failed"])
        })
    }
  }

  private func addLateMessages(
    _ need: OverviewNeed, _ batch: inout PostgresBatch, take: @escaping ([OperatorOverview.LateMessage]) -> Void
  ) {
    batch.add(
      """
      SELECT id, host, attempts, created_at, due_at, reason FROM deliveries
      WHERE due_at IS NOT NULL AND due_at < $1 ORDER BY due_at LIMIT $2
      """, PostgresValue(need.lateBefore), PostgresValue(need.limit)
    ) { rows throws(PostgresError) in
      take(
        try rows.map { row throws(PostgresError) in
          OperatorOverview.LateMessage(
            id: try row["id"], host: try row["host"], attempts: try row["attempts"], createdAt: try row["created_at"],
            dueAt: try row["due_at"], reason: try row["reason"])
        })
    }
  }

  private func addFailingHosts(
    _ need: OverviewNeed, _ batch: inout PostgresBatch, take: @escaping ([OperatorOverview.FailingHost]) -> Void
  ) {
    batch.add(
      """
      SELECT host, count(*) AS messages, max(attempts) AS attempts, min(created_at) AS since, max(reason) AS reason
      FROM deliveries WHERE due_at IS NOT NULL AND attempts > 0 AND reason IS NOT NULL
      GROUP BY host ORDER BY messages DESC, host LIMIT $1
      """, PostgresValue(need.limit)
    ) { rows throws(PostgresError) in
      take(
        try rows.map { row throws(PostgresError) in
          OperatorOverview.FailingHost(
            host: try row["host"], messages: try row["messages"], attempts: try row["attempts"],
            since: try row["since"],
            reason: try row["reason"])
        })
    }
  }
}
