package import Model
import SQLiteKit
package import ServerCore

// The queue of deliveries. `DeliverySchedule` finds the next one in memory; the table is authoritative.
extension SQLiteServerTransaction {
  package func dueDeliveries(
    at now: Timestamp, limit: Int, inFlight: InFlightLimits
  ) throws(StorageError) -> DueDeliveries {
    try prepareSchedule(inFlight)
    var due = DueDeliveries()
    (due.unreadable, unscheduled) = (unscheduled, [])
    for entry in keeper.use({ $0.takeDue(at: now, limit: limit) }) ?? [] {
      do throws(StorageError) {
        if let delivery = try delivery(entry.id), delivery.state == .queued {
          due.deliveries.append(delivery)
        } else {
          keeper.note(.remove(entry.id))
        }
      } catch let error where error.code == .unreadableValue {
        due.unreadable.append(DeliveryKey(entry.id, of: entry.account))
      }
    }
    return due
  }

  package func setAside(_ key: DeliveryKey, reason: String, at now: Timestamp) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        UPDATE deliveries SET state = 'failed', state_at = ?, reason = ?, due_at = NULL, is_leased = 0
        WHERE id = ? AND state = 'queued'
        """
      ).run(SQLiteValue(now), .text(reason), SQLiteValue(key.id))
    }
    keeper.note(.remove(key.id))
  }

  package func releaseSafe(behind key: DeliveryKey, at now: Timestamp) throws(StorageError) {
    let released = try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        UPDATE deliveries SET due_at = ?1
        WHERE id IN (
          SELECT safe.id FROM deliveries AS ended CROSS JOIN deliveries AS safe
            ON safe.account_id = ended.account_id AND safe.alert_id = ended.alert_id AND safe.contact_id = ended.contact_id
              AND safe.channel_url = ended.channel_url AND safe.notice = 'deactivated'
          WHERE ended.id = ?2 AND safe.state = 'queued' AND safe.due_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM deliveries AS help
            WHERE help.account_id = ended.account_id AND help.alert_id = ended.alert_id
              AND help.contact_id = ended.contact_id AND help.channel_url = ended.channel_url
              AND help.notice = 'activated' AND help.state = 'queued'))
        RETURNING id
        """
      ).rows(SQLiteValue(now), SQLiteValue(key.id)) { row throws(SQLiteError) in try row["id", as: String.self] }
    }
    if !released.isEmpty { keeper.forget() }
  }

  package func nextDue(at now: Timestamp, inFlight: InFlightLimits) throws(StorageError) -> Timestamp? {
    try prepareSchedule(inFlight)
    return keeper.use { $0.nextDue(at: now) } ?? nil
  }

  package func note(_ answer: HostAnswer, of host: String) { keeper.note(.answer(answer, host: host)) }

  package func noteHung(_ id: DeliveryID) { keeper.note(.hung(id)) }

  package func outlook(at now: Timestamp, latest: LatestTimes) throws(StorageError) -> QueueOutlook {
    var outlook = QueueOutlook()
    outlook.hasDeliveryTooLate = try latestDue().map { $0 > latest.delivery } == true
    outlook.asking.first = try firstAsking()
    outlook.asking.hasTooLate = try lastAsking().map { $0 > latest.asking } == true
    outlook.silence.first = try firstSilenceCheck()
    outlook.silence.hasTooLate = try lastSilenceCheck().map { $0 > latest.silence } == true
    outlook.hasAlertsToPost = try hasAlertsToPost()
    outlook.codes = try codeQueue(at: now)
    return outlook
  }

  private func latestDue() throws(StorageError) -> Timestamp? {
    try storing { () throws(SQLiteError) in
      try connection.statement("SELECT max(due_at) FROM deliveries WHERE due_at IS NOT NULL").value()
    }
  }

  package func bringForward(dueAfter latest: Timestamp, to now: Timestamp) throws(StorageError) {
    keeper.forget()
    try storing { () throws(SQLiteError) in
      try connection.statement("UPDATE deliveries SET due_at = ?, is_leased = 0 WHERE due_at > ?")
        .run(SQLiteValue(now), SQLiteValue(latest))
    }
  }

  package func endLeases(at now: Timestamp) throws(StorageError) {
    keeper.forget()
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "UPDATE deliveries SET due_at = ?, is_leased = 0 WHERE is_leased = 1 AND due_at IS NOT NULL"
      )
      .run(SQLiteValue(now))
    }
  }

  /// Makes deliveries due that were held back.
  func apply(_ release: WriteSet.HeldRelease, to account: AccountID) throws(SQLiteError) {
    let entries = try connection.statement(
      """
      UPDATE deliveries SET due_at = ?1
      WHERE account_id = ?2 AND state = 'queued' AND is_leased = 0 AND due_at > ?1 AND due_at <= ?3 AND alert_id <> ?4
      RETURNING id, account_id, host, priority, attempts, due_at, is_leased, reason IS NOT NULL AS has_failed
      """
    ).rows(
      SQLiteValue(release.dueAt), SQLiteValue(account), SQLiteValue(release.dueUpTo), SQLiteValue(release.exceptAlert),
      row: DeliverySchedule.Entry.init(row:))
    for entry in entries { keeper.note(.set(entry)) }
  }

  /// Reads the schedule if there is none, or if another process wrote to the file.
  private func prepareSchedule(_ limits: InFlightLimits) throws(StorageError) {
    try storing { () throws(SQLiteError) in
      let dataVersion: Int64 = try connection.statement("PRAGMA data_version").value() ?? 0
      guard !keeper.isCurrent(limits, dataVersion: dataVersion) else { return }
      unscheduled = []
      let entries = try connection.statement(
        """
        SELECT id, account_id, host, priority, attempts, due_at, is_leased, reason IS NOT NULL AS has_failed
        FROM deliveries WHERE due_at IS NOT NULL
        """
      ).rows { row throws(SQLiteError) -> DeliverySchedule.Entry? in
        do throws(SQLiteError) {
          return try DeliverySchedule.Entry(row: row)
        } catch let error where error.isUnreadableValue {
          if let id = DeliveryID(try row["id", as: String.self]) { unscheduled.append(DeliveryKey(id, of: nil)) }
          return nil
        }
      }
      keeper.take(entries.compactMap { $0 }, limits, dataVersion: dataVersion)
    }
  }
}

extension DeliverySchedule.Entry {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      id: try row["id"], account: try row["account_id"], host: try row["host"], priority: try row.choice("priority"),
      attempts: try row["attempts"], dueAt: try row["due_at"], isLeased: try row["is_leased"],
      hasFailed: try row["has_failed"])
  }
}
