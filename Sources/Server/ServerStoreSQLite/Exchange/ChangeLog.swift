import Model
import SQLiteKit
import ServerCore
import Wire

// The log of changes.
extension SQLiteServerTransaction {
  func logPosition(of account: AccountID) throws(StorageError) -> LogPosition {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        "SELECT newest_sequence, newest_ordinal FROM account_logs WHERE account_id = ?"
      ).row(SQLiteValue(account)) { row in
        LogPosition(newestSequence: try row["newest_sequence"], newestOrdinal: try row["newest_ordinal"])
      } ?? LogPosition()
    }
  }

  func setLogPosition(_ position: LogPosition, of account: AccountID) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal) VALUES (?1, ?2, ?3)
      ON CONFLICT (account_id) DO UPDATE SET newest_sequence = ?2, newest_ordinal = ?3
      """
    ).run(SQLiteValue(account), .integer(position.newestSequence), .integer(position.newestOrdinal))
  }

  func insertChange(_ change: LoggedChange, of account: AccountID) throws(SQLiteError) {
    try connection.statement(
      """
      INSERT OR REPLACE INTO changes (account_id, sequence, entity_kind, entity_id, tag) VALUES (?, ?, ?, ?, ?)
      """
    ).run(
      SQLiteValue(account), .integer(change.sequence), .integer(change.entity.kind.rawValue),
      SQLiteValue(change.entity.id), .integer(Int64(bitPattern: change.tag)))
  }

  func changeTag(at sequence: Int64, of account: AccountID) throws(StorageError) -> UInt64? {
    try storing { () throws(SQLiteError) in
      let tag: Int64? = try connection.statement("SELECT tag FROM changes WHERE account_id = ? AND sequence = ?")
        .value(SQLiteValue(account), .integer(sequence))
      return tag.map(UInt64.init(bitPattern:))
    }
  }

  func changes(
    of account: AccountID, after sequence: Int64, limit: Int
  ) throws(StorageError) -> [(change: LoggedChange, entity: LoggedEntity)] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT log.sequence, log.tag, log.entity_kind, log.entity_id,
          alert.id, alert.ordinal, alert.started_at, alert.ended_at, alert.message, alert.latitude, alert.longitude,
          alert.drill, alert.only_contact, alert.received_at, alert.end_received_at,
          contact.name, contact.phone, contact.is_responder, contact.is_dependent, contact.channels, contact.tier,
          contact.tested, contact.failed,
          delivery.alert_id, delivery.contact_id, delivery.contact_name, delivery.notice, delivery.channel_url,
          delivery.state, delivery.state_at, delivery.reason, delivery.role,
          alert.update_id, alert.update_at, alert.update_message, alert.update_latitude, alert.update_longitude,
          alert.update_accuracy_m, alert.update_battery_percent, account.name AS profile_name, inbox.record
        FROM changes AS log
          LEFT JOIN alerts AS alert
            ON log.entity_kind = 1 AND alert.account_id = log.account_id AND alert.id = log.entity_id
          LEFT JOIN contacts AS contact
            ON log.entity_kind = 2 AND contact.account_id = log.account_id AND contact.id = log.entity_id
          LEFT JOIN deliveries AS delivery ON log.entity_kind = 3 AND delivery.id = log.entity_id
          LEFT JOIN accounts AS account ON log.entity_kind = 4 AND account.id = log.entity_id
          LEFT JOIN inbox ON log.entity_kind = 5 AND inbox.account_id = log.account_id AND inbox.id = log.entity_id
        WHERE log.account_id = ? AND log.sequence > ? ORDER BY log.sequence LIMIT ?
        """
      ).rows(SQLiteValue(account), .integer(sequence), .integer(Int64(limit))) { row in try loggedChange(row) }
    }
  }

  private func loggedChange(
    _ row: borrowing Row
  ) throws(SQLiteError) -> (change: LoggedChange, entity: LoggedEntity) {
    let key = EntityKey(try row.choice("entity_kind"), try row["entity_id"])
    let tag: Int64 = try row["tag"]
    let change = LoggedChange(sequence: try row["sequence"], tag: UInt64(bitPattern: tag), entity: key)
    return (change, try loggedEntity(key, row))
  }

  private func loggedEntity(_ key: EntityKey, _ row: borrowing Row) throws(SQLiteError) -> LoggedEntity {
    switch key.kind {
    case .alert: try row.isNull("id") ? .removed : .alert(try AlertRecord(row: row))
    case .contact:
      try row.isNull("name")
        ? .removed
        : .contact(
          ContactID(key.id), try ContactDetails(row: row), [TestedChannel](lines: try row["tested"]),
          [FailedChannel](lines: try row["failed"]))
    case .receipt: try loggedReceipt(ReceiptID(key.id), row).map { .receipt($0) } ?? .removed
    case .profile: try Profile(row: row, "profile_name").map { .profile($0) } ?? .removed
    case .inbox: try row.isNull("record") ? .removed : .inbox(try InboxAlert(row: row))
    }
  }
}

extension SQLiteServerTransaction {
  /// Nil where the delivery is gone, or has no receipt.
  private func loggedReceipt(_ id: ReceiptID, _ row: borrowing Row) throws(SQLiteError) -> Receipt? {
    guard try !row.isNull("alert_id") else { return nil }
    let role: DeliveryRole = try row.choice("role")
    let state: DeliveryState = try row.choice("state")
    return role.hasReceipt(in: state) ? try Receipt(id, row: row) : nil
  }
}

extension Receipt {
  fileprivate init(_ id: ReceiptID, row: borrowing Row) throws(SQLiteError) {
    self.init(
      id: id, alertID: try row["alert_id"], contactID: try row["contact_id"], contactName: try row["contact_name"],
      notice: try row.choice("notice"), channel: StoredDelivery.kind(ofReceipt: try Channel(row: row)),
      state: try row.choice("state"),
      at: try row["state_at"], reason: try row["reason"])
  }
}
