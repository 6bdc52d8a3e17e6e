package import Model
import SQLiteKit
package import ServerCore

extension SQLiteServerTransaction {
  func insertDelivery(_ delivery: StoredDelivery) throws(SQLiteError) {
    keeper.note(ScheduleKeeper.Change(delivery))
    let target = delivery.target
    try connection.statement(
      """
      INSERT INTO deliveries (id, account_id, alert_id, contact_id, contact_name, notice, channel_url, host,
        state, state_at, reason, told_end, created_at, attempts, refusals, due_at, is_leased, is_dropped,
        call_number, told_call, priority, role, round)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(delivery.id), SQLiteValue(target.account), SQLiteValue(target.alert), SQLiteValue(target.contact),
      .text(delivery.contactName), .text(delivery.notice.rawValue),
      .text(target.channel?.url ?? ""), .text(target.channel?.deliveryHost ?? ""), .text(delivery.state.rawValue),
      SQLiteValue(delivery.stateAt),
      SQLiteValue(delivery.reason), SQLiteValue(delivery.toldEnd), SQLiteValue(delivery.createdAt),
      .integer(Int64(delivery.attempts)), .integer(Int64(delivery.refusals)), SQLiteValue(delivery.dueAt),
      SQLiteValue(delivery.isLeased), SQLiteValue(delivery.isDropped), .integer(Int64(delivery.callNumber)),
      .integer(Int64(delivery.toldCall)), .integer(Int64(delivery.priority.rawValue)),
      .text(delivery.role.rawValue), .integer(Int64(delivery.round)))
  }

  /// Writes the state, the name and all counters of the row with this id.
  func update(_ delivery: StoredDelivery) throws(SQLiteError) {
    keeper.note(ScheduleKeeper.Change(delivery))
    try connection.statement(
      """
      UPDATE deliveries SET state = ?, state_at = ?, reason = ?, told_end = ?, created_at = ?, attempts = ?, refusals = ?,
        due_at = ?, is_leased = ?, is_dropped = ?, told_call = ?, round = ?, contact_name = ? WHERE id = ?
      """
    ).run(
      .text(delivery.state.rawValue), SQLiteValue(delivery.stateAt), SQLiteValue(delivery.reason),
      SQLiteValue(delivery.toldEnd), SQLiteValue(delivery.createdAt), .integer(Int64(delivery.attempts)),
      .integer(Int64(delivery.refusals)), SQLiteValue(delivery.dueAt), SQLiteValue(delivery.isLeased),
      SQLiteValue(delivery.isDropped), .integer(Int64(delivery.toldCall)),
      .integer(Int64(delivery.round)), .text(delivery.contactName), SQLiteValue(delivery.id))
  }

  package func replayableDelivery(_ id: DeliveryID) throws(StorageError) -> StoredDelivery? {
    guard let delivery = try delivery(id), delivery.state == .failed || delivery.dueAt != nil else { return nil }
    return delivery
  }

  func delivery(_ id: DeliveryID) throws(StorageError) -> StoredDelivery? {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority, role, round
        FROM deliveries WHERE id = ?
        """
      ).row(SQLiteValue(id), row: StoredDelivery.init(row:))
    }
  }

  package func deliveries(of alert: AlertID, account: AccountID) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority, role, round
        FROM deliveries
        WHERE account_id = ? AND alert_id = ? ORDER BY contact_name, id
        """
      ).rows(SQLiteValue(account), SQLiteValue(alert), row: StoredDelivery.init(row:))
    }
  }

  /// Those about one alert to one contact.
  func deliveries(to key: AlertContact, account: AccountID) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority, role, round
        FROM deliveries WHERE account_id = ? AND alert_id = ? AND contact_id = ?
        """
      ).rows(SQLiteValue(account), SQLiteValue(key.alert), SQLiteValue(key.contact), row: StoredDelivery.init(row:))
    }
  }

  func deliveryCount(of alert: AlertID, account: AccountID) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT count(*) FROM deliveries WHERE account_id = ? AND alert_id = ?"
      ).value(SQLiteValue(account), SQLiteValue(alert)) ?? 0
    }
  }

  func openDeliveryCount(account: AccountID) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT count(*) FROM deliveries WHERE account_id = ? AND state = 'queued'"
      ).value(SQLiteValue(account)) ?? 0
    }
  }

  func openDeliveries(
    contact: ContactID, account: AccountID
  ) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority, role, round
        FROM deliveries
        WHERE account_id = ? AND contact_id = ? AND state = 'queued' ORDER BY id
        """
      ).rows(SQLiteValue(account), SQLiteValue(contact), row: StoredDelivery.init(row:))
    }
  }
}

extension StoredDelivery {
  /// All columns of `deliveries` but `host`, which follows from `channel_url`.
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    let channel = try Channel(row: row)
    let target = DeliveryTarget(
      account: try row["account_id"], alert: try row["alert_id"], contact: try row["contact_id"], channel: channel)
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
  init?(row: borrowing Row) throws(SQLiteError) {
    let url: String = try row["channel_url"]
    guard !url.isEmpty else { return nil }
    self = try stored("channel_url") { () throws(InvalidInput) in try Channel(foreign: url) }
  }
}
