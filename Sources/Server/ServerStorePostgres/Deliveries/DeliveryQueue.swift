import Model
import PostgresKit
import ServerCore

// The queue of deliveries. `DeliverySchedule` finds the next one in memory; the table is authoritative.
extension PostgresTransaction {
  func dueDeliveries(
    at now: Timestamp, limit: Int, inFlight: InFlightLimits
  ) throws(StorageError) -> DueDeliveries {
    try prepareSchedule(inFlight, at: now)
    let entries = schedule.use { $0.takeDue(at: now, limit: limit) } ?? []
    guard !entries.isEmpty else { return DueDeliveries() }
    let rows = try self.rows(of: entries)
    var due = DueDeliveries()
    for entry in entries {
      switch rows[entry.id] {
      case .some(.some(let delivery)) where delivery.isDue(at: now, as: entry): due.deliveries.append(delivery)
      // The table is right, whatever is in memory.
      case .some(.some(let delivery)): schedule.note(ScheduleKeeper.Change(delivery))
      case .some(.none): due.unreadable.append(DeliveryKey(entry.id, of: entry.account))
      case .none: schedule.note(.remove(entry.id))
      }
    }
    return due
  }

  /// The rows that there are; nil where one cannot be read. While one part of them is read here, PostgreSQL reads the next.
  private func rows(
    of entries: [DeliverySchedule.Entry]
  ) throws(StorageError) -> [DeliveryID: StoredDelivery?] {
    var rows: [DeliveryID: StoredDelivery?] = [:]
    var sent = 0
    let length = min(256, max(32, (entries.count + 3) / 4))
    for start in stride(from: 0, to: entries.count, by: length) {
      let part = entries[start..<min(start + length, entries.count)]
      var batch = PostgresBatch()
      batch.add(
        """
        SELECT \(SQL.delivery) FROM unnest($1::uuid[], $2::uuid[]) AS wanted (account_id, id)
          JOIN deliveries ON deliveries.account_id = wanted.account_id AND deliveries.id = wanted.id
        """, PostgresValue(part.map(\.account)), PostgresValue(part.map(\.id))
      ) { [self] found throws(PostgresError) in
        for index in 0..<found.count { rows[try found[index]["id"]] = try readable(found[index]) }
      }
      sent = try send(batch)
    }
    try receive(through: sent)
    return rows
  }

  /// Nil where a value of the row is none that the server writes.
  private func readable(_ row: PostgresRow) throws(PostgresError) -> StoredDelivery? {
    do throws(PostgresError) {
      return try stored(delivery: row)
    } catch let error where error.kind == .unreadableValue {
      return nil
    }
  }

  func setAside(_ key: DeliveryKey, reason: String, at now: Timestamp) throws(StorageError) {
    try begin()
    try change(
      """
      UPDATE deliveries SET state = 'failed', state_at = $1, reason = $2, due_at = NULL, is_leased = false, changed = $4
      WHERE account_id = $5 AND id = $3 AND state = 'queued'
      """, PostgresValue(now), .text(reason), PostgresValue(key.id), changed, PostgresValue(key.account))
    schedule.note(.remove(key.id))
  }

  func releaseSafe(behind key: DeliveryKey, at now: Timestamp) throws(StorageError) {
    try begin()
    let released = try change(
      """
      UPDATE deliveries AS safe SET due_at = $1, changed = $3
      FROM deliveries AS ended
      WHERE ended.account_id = $4 AND ended.id = $2 AND safe.account_id = ended.account_id AND safe.alert_id = ended.alert_id
        AND safe.contact_id = ended.contact_id AND safe.channel_url = ended.channel_url AND safe.notice = 'deactivated'
        AND safe.state = 'queued' AND safe.due_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM deliveries AS help
          WHERE help.account_id = ended.account_id AND help.alert_id = ended.alert_id
            AND help.contact_id = ended.contact_id AND help.channel_url = ended.channel_url
            AND help.notice = 'activated' AND help.state = 'queued')
      """, PostgresValue(now), PostgresValue(key.id), changed, PostgresValue(key.account))
    if released > 0 { schedule.forget() }
  }

  func nextDue(at now: Timestamp, inFlight: InFlightLimits) throws(StorageError) -> Timestamp? {
    try prepareSchedule(inFlight, at: now)
    return schedule.use { $0.nextDue(at: now) } ?? nil
  }

  func note(_ answer: HostAnswer, of host: String) { schedule.note(.answer(answer, host: host)) }

  func noteHung(_ id: DeliveryID) { schedule.note(.hung(id)) }

  func outlook(at now: Timestamp, latest: LatestTimes) throws(StorageError) -> QueueOutlook {
    let isWhole = looksWhole && foundFloors == nil
    let begun = writer.clock()
    var found = try readOutlook(at: now, latest)
    if isWhole { wholeLook = writer.clock() - begun }
    if isWritable, !deadPeers.isEmpty {
      // What they had leased is due now.
      try takeOver(at: now)
      found = try readOutlook(at: now, latest)
    }
    noteFloors(found, at: now)
    return found.outlook
  }

  private func readOutlook(at now: Timestamp, _ latest: LatestTimes) throws(StorageError) -> FoundOutlook {
    try row(
      """
      SELECT EXISTS (SELECT 1 FROM deliveries WHERE due_at > $2) AS has_delivery_too_late,
        (SELECT asking_due_at FROM alerts WHERE asking_due_at >= $5 ORDER BY asking_due_at LIMIT 1) AS first_asking,
        EXISTS (SELECT 1 FROM alerts WHERE asking_due_at > $3) AS has_asking_too_late,
        (SELECT silence_due_at FROM alerts WHERE silence_due_at >= $6 ORDER BY silence_due_at LIMIT 1) AS first_silence,
        EXISTS (SELECT 1 FROM alerts WHERE silence_due_at > $4) AS has_silence_too_late,
        (SELECT position FROM inbox_due WHERE position >= $7 ORDER BY position LIMIT 1) AS first_to_post,
        (SELECT count(*) FROM code_messages WHERE is_leased AND due_at > $1) AS leased_count,
        (SELECT min(due_at) FROM code_messages) AS first_due, (SELECT max(due_at) FROM code_messages) AS last_due,
        (SELECT min(due_at) FROM code_messages WHERE is_leased) AS first_lease_end
      """, PostgresValue(now), PostgresValue(latest.delivery), PostgresValue(latest.asking),
      PostgresValue(latest.silence), PostgresValue(min(floors.asking, now)),
      PostgresValue(min(floors.silence, now)),
      .integer(floors.inboxPosition)
    ) { row throws(PostgresError) in try FoundOutlook(row: row) } ?? FoundOutlook()
  }

  private func noteFloors(_ found: FoundOutlook, at now: Timestamp) {
    var noted = floors
    noted.asking = IndexFloors.after(found.outlook.asking.first, at: now)
    noted.silence = IndexFloors.after(found.outlook.silence.first, at: now)
    if let position = found.firstToPost ?? version { noted.inboxPosition = position }
    foundFloors = noted
  }

  func bringForward(dueAfter latest: Timestamp, to now: Timestamp) throws(StorageError) {
    schedule.forget()
    try begin()
    try change(
      "UPDATE deliveries SET due_at = $1, is_leased = false, changed = $3 WHERE due_at > $2", PostgresValue(now),
      PostgresValue(latest), changed)
  }

  /// Those of this process, and of processes that are gone. What others have under way is theirs.
  func endLeases(at now: Timestamp) throws(StorageError) {
    schedule.forget()
    try begin()
    try change(
      """
      UPDATE deliveries SET due_at = $1, is_leased = false, changed = $3
      WHERE is_leased AND due_at IS NOT NULL AND (holder IS NULL OR holder = $2 OR holder NOT IN (SELECT id FROM processes))
      """, PostgresValue(now), PostgresValue(writer.process), changed)
  }

  /// Makes deliveries due that were held back.
  func add(_ release: WriteSet.HeldRelease, to account: AccountID, _ batch: inout PostgresBatch) {
    batch.add(
      """
      UPDATE deliveries SET due_at = $1, changed = $5
      WHERE account_id = $2 AND state = 'queued' AND NOT is_leased AND due_at > $1 AND due_at <= $3 AND alert_id <> $4
      RETURNING account_id, id, host, priority, attempts, due_at, is_leased, reason IS NOT NULL AS has_failed
      """, PostgresValue(release.dueAt), PostgresValue(account), PostgresValue(release.dueUpTo),
      PostgresValue(release.exceptAlert), changed
    ) { [schedule] rows throws(PostgresError) in
      for index in 0..<rows.count { schedule.note(.set(try DeliverySchedule.Entry(row: rows[index]))) }
    }
  }

  /// Brings the schedule up to what is committed: reads it if there is none, or what other processes have changed since the last
  /// transaction of this one. Takes over what dead ones have leased.
  private func prepareSchedule(_ limits: InFlightLimits, at now: Timestamp) throws(StorageError) {
    guard isWritable else { throw StorageError(.readOnly, "the queue belongs to the transactions that write") }
    // It has to begin before it is known what others have written.
    try begin()
    try takeOver(at: now)
    if !isFollowed { try followOthers() }
    isFollowed = true
    guard !schedule.isCurrent(limits, dataVersion: 0) else { return }
    let entries = try rows(
      """
      SELECT account_id, id, host, priority, attempts, due_at, is_leased, reason IS NOT NULL AS has_failed
      FROM deliveries WHERE due_at IS NOT NULL ORDER BY due_at, id
      """
    ) { row throws(PostgresError) in try DeliverySchedule.Entry(row: row) }
    schedule.take(entries, limits, dataVersion: 0)
  }

  /// Whether the schedule has all that is due, and what this transaction has changed of it.
  var knowsSchedule: Bool { isWritable && schedule.schedule != nil && (isFollowed || version == writer.version + 1) }

  /// Whether it may turn out to, as far as is known before the transaction has begun.
  var mayKnowSchedule: Bool { version == nil ? isWritable && schedule.schedule != nil : knowsSchedule }

  /// Beyond these, the whole queue is read anew: most of what was delivered meanwhile is in no queue any more.
  private static let followedTransactions: Int64 = 10_000

  private func followOthers() throws(StorageError) {
    guard let version, version != writer.version + 1 else { return }
    guard version - writer.version < Self.followedTransactions else {
      schedule.forget()
      return
    }
    let changes = try rows(
      """
      SELECT account_id, id, host, priority, attempts, due_at, is_leased, reason IS NOT NULL AS has_failed
      FROM deliveries WHERE changed > $1 AND changed < $2
      """, .integer(writer.version), .integer(version)
    ) { row throws(PostgresError) -> ScheduleKeeper.Change in
      try row.isNull("due_at") ? .remove(try row["id"]) : .set(try DeliverySchedule.Entry(row: row))
    }
    for change in changes { schedule.note(change) }
  }

  private func takeOver(at now: Timestamp) throws(StorageError) {
    let dead = deadPeers
    guard !dead.isEmpty else { return }
    writer.peers.forget(dead)
    schedule.forget()
    var batch = PostgresBatch()
    batch.add("DELETE FROM processes WHERE id = ANY($1)", PostgresValue(dead))
    batch.add(
      """
      UPDATE deliveries SET due_at = $1, is_leased = false, changed = $3
      WHERE is_leased AND due_at IS NOT NULL AND holder = ANY($2)
      """, PostgresValue(now), PostgresValue(dead), changed)
    batch.add(
      "UPDATE code_messages SET due_at = $1, is_leased = false WHERE is_leased AND holder = ANY($2)",
      PostgresValue(now),
      PostgresValue(dead))
    try run(batch)
  }
}

/// An outlook, and where the queue of alerts for inboxes begins; nil where it is empty.
private struct FoundOutlook {
  var outlook = QueueOutlook()
  var firstToPost: Int64?

  init() {}

  init(row: PostgresRow) throws(PostgresError) {
    outlook = try QueueOutlook(row: row)
    firstToPost = try row["first_to_post"]
    outlook.hasAlertsToPost = firstToPost != nil
  }
}

extension QueueOutlook {
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    self.init()
    hasDeliveryTooLate = try row["has_delivery_too_late"]
    asking = DueTimes(first: try row["first_asking"], hasTooLate: try row["has_asking_too_late"])
    silence = DueTimes(first: try row["first_silence"], hasTooLate: try row["has_silence_too_late"])
    codes = CodeQueue(
      leasedCount: try row["leased_count"], firstDue: try row["first_due"], lastDue: try row["last_due"],
      firstLeaseEnd: try row["first_lease_end"])
  }
}

extension DeliverySchedule.Entry {
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    self.init(
      id: try row["id"], account: try row["account_id"], host: try row["host"], priority: try row.choice("priority"),
      attempts: try row["attempts"], dueAt: try row["due_at"], isLeased: try row["is_leased"],
      hasFailed: try row["has_failed"])
  }
}

extension StoredDelivery {
  /// Whether it may be claimed, and stands as the schedule has it.
  fileprivate func isDue(at now: Timestamp, as entry: DeliverySchedule.Entry) -> Bool {
    state == .queued && dueAt.map { $0 <= now } == true && attempts == entry.attempts
  }
}
