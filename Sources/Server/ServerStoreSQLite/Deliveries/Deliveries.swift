package import Model
import SQLiteKit
package import ServerCore

extension SQLiteServerTransaction {
  func insertDelivery(_ delivery: StoredDelivery) throws(SQLiteError) {
    keeper.note(ScheduleKeeper.Change(delivery))
    let target = delivery.target
    try connection.statement(
      """
      INSERT INTO deliveries (id, account_id, alert_id, contact_id, contact_name, notice, channel_kind, channel_url, host,
        state, state_at, reason, told_end, created_at, attempts, refusals, due_at, is_leased, is_dropped,
        call_number, told_call, priority)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(delivery.id), SQLiteValue(target.account), SQLiteValue(target.alert), SQLiteValue(target.contact),
      .text(delivery.contactName), .text(delivery.notice.rawValue),
      .text(delivery.channelKind.rawValue), .text(target.channel?.url ?? ""),
      .text(target.channel?.host ?? ""), .text(delivery.state.rawValue), SQLiteValue(delivery.stateAt),
      SQLiteValue(delivery.reason), SQLiteValue(delivery.toldEnd), SQLiteValue(delivery.createdAt),
      .integer(Int64(delivery.attempts)), .integer(Int64(delivery.refusals)), SQLiteValue(delivery.dueAt),
      SQLiteValue(delivery.isLeased), SQLiteValue(delivery.isDropped), .integer(Int64(delivery.callNumber)),
      .integer(Int64(delivery.toldCall)), .integer(Int64(delivery.priority.rawValue)))
  }

  package func updateDelivery(_ delivery: StoredDelivery) throws(StorageError) {
    try storing { () throws(SQLiteError) in try update(delivery) }
  }

  /// Writes the state and all counters of the row with this id.
  func update(_ delivery: StoredDelivery) throws(SQLiteError) {
    keeper.note(ScheduleKeeper.Change(delivery))
    try connection.statement(
      """
      UPDATE deliveries SET state = ?, state_at = ?, reason = ?, told_end = ?, created_at = ?, attempts = ?, refusals = ?,
        due_at = ?, is_leased = ?, is_dropped = ?, told_call = ? WHERE id = ?
      """
    ).run(
      .text(delivery.state.rawValue), SQLiteValue(delivery.stateAt), SQLiteValue(delivery.reason),
      SQLiteValue(delivery.toldEnd), SQLiteValue(delivery.createdAt), .integer(Int64(delivery.attempts)),
      .integer(Int64(delivery.refusals)), SQLiteValue(delivery.dueAt), SQLiteValue(delivery.isLeased),
      SQLiteValue(delivery.isDropped), .integer(Int64(delivery.toldCall)), SQLiteValue(delivery.id))
  }

  package func delivery(_ id: DeliveryID) throws(StorageError) -> StoredDelivery? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority
        FROM deliveries WHERE id = ?
        """
      )
      try statement.bind(SQLiteValue(id))
      return try statement.firstRow { () throws(SQLiteError) in try storedDelivery(statement) }
    }
  }

  package func delivery(_ notice: Notice, to target: DeliveryTarget) throws(StorageError) -> StoredDelivery? {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority
        FROM deliveries
        WHERE account_id = ? AND alert_id = ? AND contact_id = ? AND channel_url = ? AND notice = ?
        ORDER BY call_number DESC LIMIT 1
        """
      )
      try statement.bind(
        SQLiteValue(target.account), SQLiteValue(target.alert), SQLiteValue(target.contact),
        .text(target.channel?.url ?? ""), .text(notice.rawValue))
      return try statement.firstRow { () throws(SQLiteError) in try storedDelivery(statement) }
    }
  }

  package func deliveries(of alert: AlertID, account: AccountID) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority
        FROM deliveries
        WHERE account_id = ? AND alert_id = ? ORDER BY contact_name, id
        """
      )
      try statement.bind(SQLiteValue(account), SQLiteValue(alert))
      return try statement.rows { () throws(SQLiteError) in try storedDelivery(statement) }
    }
  }

  /// Those about one alert to one contact.
  func deliveries(to key: AlertContact, account: AccountID) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority
        FROM deliveries WHERE account_id = ? AND alert_id = ? AND contact_id = ?
        """
      )
      try statement.bind(SQLiteValue(account), SQLiteValue(key.alert), SQLiteValue(key.contact))
      return try statement.rows { () throws(SQLiteError) in try storedDelivery(statement) }
    }
  }

  func deliveryCount(of alert: AlertID, account: AccountID) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT count(*) FROM deliveries WHERE account_id = ? AND alert_id = ?")
      try statement.bind(SQLiteValue(account), SQLiteValue(alert))
      return try statement.firstRow { () throws(SQLiteError) in Int(statement.integer(0)) } ?? 0
    }
  }

  func openDeliveryCount(account: AccountID) throws(StorageError) -> Int {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT count(*) FROM deliveries WHERE account_id = ? AND state = 'queued'")
      try statement.bind(SQLiteValue(account))
      return try statement.firstRow { () throws(SQLiteError) in Int(statement.integer(0)) } ?? 0
    }
  }

  func openDeliveries(
    contact: ContactID, account: AccountID
  ) throws(StorageError) -> [StoredDelivery] {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT id, account_id, alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, told_end,
          created_at, attempts, refusals, due_at, is_leased, is_dropped, call_number, told_call, priority
        FROM deliveries
        WHERE account_id = ? AND contact_id = ? AND state = 'queued' ORDER BY id
        """
      )
      try statement.bind(SQLiteValue(account), SQLiteValue(contact))
      return try statement.rows { () throws(SQLiteError) in try storedDelivery(statement) }
    }
  }

  func storedDelivery(_ row: Statement) throws(SQLiteError) -> StoredDelivery {
    let target = DeliveryTarget(
      account: try row.identifier(1), alert: try row.identifier(2), contact: try row.identifier(3),
      channel: try row.channel(6))
    var delivery = StoredDelivery(
      id: try row.identifier(0), target: target, contactName: row.text(4), notice: try row.choice(5),
      state: try row.choice(7), stateAt: row.timestamp(8), reason: row.optionalText(9), createdAt: row.timestamp(11),
      dueAt: row.optionalTimestamp(14))
    delivery.toldEnd = row.boolean(10)
    delivery.attempts = Int(row.integer(12))
    delivery.refusals = Int(row.integer(13))
    delivery.isLeased = row.boolean(15)
    delivery.isDropped = row.boolean(16)
    delivery.callNumber = Int(row.integer(17))
    delivery.toldCall = Int(row.integer(18))
    guard let priority = DeliveryPriority(rawValue: Int(row.integer(19))) else { throw .storedWrong }
    delivery.priority = priority
    return delivery
  }
}
