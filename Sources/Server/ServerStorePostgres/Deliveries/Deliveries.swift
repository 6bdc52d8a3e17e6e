import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  /// - Parameter isHeardWithRows: the schedule hears of them only with the answer, behind what the same batch makes due before them.
  func insert(_ deliveries: [StoredDelivery], isHeardWithRows: Bool, _ batch: inout PostgresBatch) {
    guard !deliveries.isEmpty else { return }
    batch.add(
      """
      INSERT INTO deliveries (\(Self.changingColumns), \(Self.fixedColumns), holder, changed)
      SELECT \(Self.changingColumns), \(Self.fixedColumns), $24, $25
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::boolean[], $7::bigint[], $8::bigint[],
        $9::bigint[], $10::bigint[], $11::boolean[], $12::boolean[], $13::bigint[], $14::bigint[], $15::text[], $16::uuid[],
        $17::uuid[], $18::text[], $19::text[], $20::text[], $21::bigint[], $22::bigint[], $23::text[])
        AS given (\(Self.changingColumns), \(Self.fixedColumns))
      """,
      Self.columns(of: deliveries) + Self.fixedColumns(of: deliveries) + [PostgresValue(writer.process), changed]
    ) { [self] rows in
      isNumbered = isNumbered || rows.affectedCount > 0
      if isHeardWithRows { noteInSchedule(deliveries) }
    }
    if !isHeardWithRows { noteInSchedule(deliveries) }
  }

  /// Writes the state, the name and all counters of the rows with these ids.
  ///
  /// - Parameter isHeardWithRows: as for `insert`.
  func update(_ deliveries: [StoredDelivery], isHeardWithRows: Bool, _ batch: inout PostgresBatch) {
    guard !deliveries.isEmpty else { return }
    batch.add(
      """
      UPDATE deliveries SET state = given.state, state_at = given.state_at, reason = given.reason,
        told_end = given.told_end, created_at = given.created_at, attempts = given.attempts, refusals = given.refusals,
        due_at = given.due_at, is_leased = given.is_leased, is_dropped = given.is_dropped, told_call = given.told_call,
        round = given.round, contact_name = given.contact_name,
        holder = CASE WHEN given.is_leased AND deliveries.attempts <> given.attempts THEN $16 ELSE deliveries.holder END,
        changed = $17
      FROM unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::text[], $6::boolean[], $7::bigint[], $8::bigint[],
          $9::bigint[], $10::bigint[], $11::boolean[], $12::boolean[], $13::bigint[], $14::bigint[], $15::text[])
        AS given (\(Self.changingColumns))
      WHERE deliveries.account_id = given.account_id AND deliveries.id = given.id
      """, Self.columns(of: deliveries) + [PostgresValue(writer.process), changed]
    ) { [self] rows in
      isNumbered = isNumbered || rows.affectedCount > 0
      if isHeardWithRows { noteInSchedule(deliveries) }
    }
    if !isHeardWithRows { noteInSchedule(deliveries) }
  }

  private func noteInSchedule(_ deliveries: [StoredDelivery]) {
    for delivery in deliveries { schedule.note(ScheduleKeeper.Change(delivery)) }
  }

  /// The key, and what changes.
  private static let changingColumns = """
    account_id, id, state, state_at, reason, told_end, created_at, attempts, refusals, due_at, is_leased, is_dropped, told_call,
    round, contact_name
    """
  private static let fixedColumns =
    "alert_id, contact_id, notice, channel_url, host, call_number, priority, role"

  /// Those of `changingColumns`.
  private static func columns(of deliveries: [StoredDelivery]) -> [PostgresValue] {
    [
      PostgresValue(deliveries.map(\.target.account)), PostgresValue(deliveries.map(\.id)),
      PostgresValue(.text, of: deliveries) { .text($0.state.rawValue) },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.stateAt) },
      PostgresValue(.text, of: deliveries) { PostgresValue($0.reason) },
      PostgresValue(.bool, of: deliveries) { .bool($0.toldEnd) },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.createdAt) },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.attempts) },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.refusals) },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.dueAt) },
      PostgresValue(.bool, of: deliveries) { .bool($0.isLeased) },
      PostgresValue(.bool, of: deliveries) { .bool($0.isDropped) },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.toldCall) },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.round) },
      PostgresValue(.text, of: deliveries) { .text($0.contactName) },
    ]
  }

  /// Those of `fixedColumns`.
  private static func fixedColumns(of deliveries: [StoredDelivery]) -> [PostgresValue] {
    [
      PostgresValue(deliveries.map(\.target.alert)), PostgresValue(deliveries.map(\.target.contact)),
      PostgresValue(.text, of: deliveries) { .text($0.notice.rawValue) },
      PostgresValue(.text, of: deliveries) { .text($0.target.channel?.url ?? "") },
      PostgresValue(.text, of: deliveries) { .text($0.target.channel?.deliveryHost ?? "") },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.callNumber) },
      PostgresValue(.integer, of: deliveries) { PostgresValue($0.priority.rawValue) },
      PostgresValue(.text, of: deliveries) { .text($0.role.rawValue) },
    ]
  }

  func replayableDelivery(_ id: DeliveryID) throws(StorageError) -> StoredDelivery? {
    try row(
      """
      SELECT \(SQL.delivery) FROM deliveries WHERE id = $1 AND state = 'failed'
      UNION ALL SELECT \(SQL.delivery) FROM deliveries WHERE id = $1 AND due_at IS NOT NULL
      """, PostgresValue(id)
    ) { [self] row throws(PostgresError) in try stored(delivery: row) }
  }

  func deliveries(of alert: AlertID, account: AccountID) throws(StorageError) -> [StoredDelivery] {
    try rows(
      """
      SELECT \(SQL.delivery) FROM deliveries WHERE account_id = $1 AND alert_id = $2 ORDER BY contact_name COLLATE "C", id
      """, PostgresValue(account), PostgresValue(alert)
    ) { [self] row throws(PostgresError) in try stored(delivery: row) }
  }

  /// The columns of `SQL.delivery`.
  func stored(delivery row: PostgresRow) throws(PostgresError) -> StoredDelivery {
    var delivery = try StoredDelivery(row: row)
    delivery.isHeldElsewhere = try row["holder", as: ProcessID?.self] != writer.process
    return delivery
  }
}

extension StoredDelivery {
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    let target = DeliveryTarget(
      account: try row["account_id"], alert: try row["alert_id"], contact: try row["contact_id"],
      channel: try Channel(row: row))
    self.init(
      id: try row["id"], target: target, contactName: try row["contact_name"], notice: try row.choice("notice"),
      state: try row.choice("state"), stateAt: try row["state_at"], reason: try row["reason"],
      createdAt: try row["created_at"], dueAt: try row["due_at"])
    toldEnd = try row["told_end"]
    attempts = try row["attempts"]
    refusals = try row["refusals"]
    isLeased = try row["is_leased"]
    isDropped = try row["is_dropped"]
    callNumber = try row["call_number"]
    toldCall = try row["told_call"]
    priority = try row.choice("priority")
    role = try row.choice("role")
    round = try row["round"]
  }
}

extension Channel {
  /// Of a delivery; nil where its contact has none.
  init?(row: PostgresRow) throws(PostgresError) {
    let url: String = try row["channel_url"]
    guard !url.isEmpty else { return nil }
    self = try stored("channel_url") { () throws(InvalidInput) in try Channel(foreign: url) }
  }
}
