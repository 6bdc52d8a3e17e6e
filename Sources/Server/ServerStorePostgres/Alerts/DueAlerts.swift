import Model
import PostgresKit
import ServerCore

// When responders are asked again, and when to check whether a device has fallen silent.
extension PostgresTransaction {
  func alertsToAskAbout(
    dueAt now: Timestamp, orAfter latest: Timestamp, limit: Int
  ) throws(StorageError) -> [AccountAlert] {
    try due("asking_due_at", at: now, orAfter: latest, limit)
  }

  func postponeAsking(about asked: AccountAlert, to time: Timestamp) throws(StorageError) {
    try change(
      "UPDATE alerts SET asking_due_at = $1 WHERE account_id = $2 AND id = $3", PostgresValue(time),
      PostgresValue(asked.account), PostgresValue(asked.alert))
  }

  func alertsToCheckForSilence(
    dueAt now: Timestamp, orAfter latest: Timestamp, limit: Int
  ) throws(StorageError) -> [AccountAlert] {
    try due("silence_due_at", at: now, orAfter: latest, limit)
  }

  func endSilenceChecks(of alert: AccountAlert) throws(StorageError) {
    try change(
      "UPDATE alerts SET silence_due_at = NULL WHERE account_id = $1 AND id = $2", PostgresValue(alert.account),
      PostgresValue(alert.alert))
  }

  /// Those that are due by `column`; where there are none, those that are due only after `latest`.
  private func due(
    _ column: String, at now: Timestamp, orAfter latest: Timestamp, _ limit: Int
  ) throws(StorageError) -> [AccountAlert] {
    try rows(
      """
      (SELECT account_id, id, \(column) AS due_at FROM alerts WHERE \(column) <= $1
        ORDER BY \(column), account_id, id LIMIT $3)
      UNION ALL
      (SELECT account_id, id, \(column) AS due_at FROM alerts
        WHERE \(column) > $2 AND NOT EXISTS (SELECT 1 FROM alerts WHERE \(column) <= $1)
        ORDER BY \(column), account_id, id LIMIT $3)
      ORDER BY due_at, account_id, id
      """, PostgresValue(now), PostgresValue(latest), PostgresValue(limit)
    ) { row throws(PostgresError) in AccountAlert(account: try row["account_id"], alert: try row["id"]) }
  }
}
