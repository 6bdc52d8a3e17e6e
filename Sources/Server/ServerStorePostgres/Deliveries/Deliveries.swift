import Model
import PostgresKit
import ServerCore

extension PostgresTransaction {
  func insert(_ delivery: StoredDelivery, _ batch: inout PostgresBatch) {
    let target = delivery.target
    batch.add(
      """
      INSERT INTO deliveries (account_id, id, alert_id, contact_id, contact_name, notice, channel_url, host, state, state_at,
        reason, told_end, created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority,
        role, round, holder, changed)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
        \(SQL.version))
      """, PostgresValue(target.account), PostgresValue(delivery.id), PostgresValue(target.alert),
      PostgresValue(target.contact), .text(delivery.contactName), .text(delivery.notice.rawValue),
      .text(target.channel?.url ?? ""), .text(target.channel?.deliveryHost ?? ""), .text(delivery.state.rawValue),
      PostgresValue(delivery.stateAt), PostgresValue(delivery.reason), PostgresValue(delivery.toldEnd),
      PostgresValue(delivery.createdAt), PostgresValue(delivery.attempts), PostgresValue(delivery.refusals),
      PostgresValue(delivery.dueAt), PostgresValue(delivery.isLeased), PostgresValue(delivery.isDropped),
      PostgresValue(delivery.callNumber), PostgresValue(delivery.toldCall), PostgresValue(delivery.priority.rawValue),
      .text(delivery.role.rawValue), PostgresValue(delivery.round), PostgresValue(writer.process)
    ) { [schedule] _ in schedule.note(ScheduleKeeper.Change(delivery)) }
  }

  func deliveriesClaimedHere(_ ids: [DeliveryID]) throws(StorageError) -> [StoredDelivery] {
    try rows(
      "SELECT \(SQL.delivery) FROM deliveries WHERE id = ANY($1) AND holder = $2", PostgresValue(ids),
      PostgresValue(writer.process)
    ) { row throws(PostgresError) in try StoredDelivery(row: row) }
  }

  /// Writes the state and all counters of the row with this id.
  func update(_ delivery: StoredDelivery, _ batch: inout PostgresBatch) {
    batch.add(
      """
      UPDATE deliveries SET state = $3, state_at = $4, reason = $5, told_end = $6, created_at = $7, attempts = $8,
        refusals = $9, due_at = $10, is_leased = $11, is_dropped = $12, told_call = $13, round = $14,
        holder = CASE WHEN $11 AND attempts <> $8 THEN $15 ELSE holder END, changed = \(SQL.version)
      WHERE account_id = $1 AND id = $2
      """, PostgresValue(delivery.target.account), PostgresValue(delivery.id), .text(delivery.state.rawValue),
      PostgresValue(delivery.stateAt), PostgresValue(delivery.reason), PostgresValue(delivery.toldEnd),
      PostgresValue(delivery.createdAt), PostgresValue(delivery.attempts), PostgresValue(delivery.refusals),
      PostgresValue(delivery.dueAt), PostgresValue(delivery.isLeased), PostgresValue(delivery.isDropped),
      PostgresValue(delivery.toldCall), PostgresValue(delivery.round), PostgresValue(writer.process)
    ) { [schedule] _ in schedule.note(ScheduleKeeper.Change(delivery)) }
  }

  func delivery(_ id: DeliveryID) throws(StorageError) -> StoredDelivery? {
    try row("SELECT \(SQL.delivery) FROM deliveries WHERE id = $1", PostgresValue(id)) { row throws(PostgresError) in
      try StoredDelivery(row: row)
    }
  }

  func deliveries(of alert: AlertID, account: AccountID) throws(StorageError) -> [StoredDelivery] {
    try rows(
      """
      SELECT \(SQL.delivery) FROM deliveries WHERE account_id = $1 AND alert_id = $2 ORDER BY contact_name COLLATE "C", id
      """, PostgresValue(account), PostgresValue(alert)
    ) { row throws(PostgresError) in try StoredDelivery(row: row) }
  }
}

extension StoredDelivery {
  /// The columns of `SQL.delivery`.
  init(row: PostgresRow) throws(PostgresError) {
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
