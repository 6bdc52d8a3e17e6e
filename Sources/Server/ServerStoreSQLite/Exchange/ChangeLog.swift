import Model
import SQLiteKit
import ServerCore
import Wire

// The log of changes.
extension SQLiteServerTransaction {
  func logPosition(of account: AccountID) throws(StorageError) -> LogPosition {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        "SELECT newest_sequence, newest_ordinal FROM account_logs WHERE account_id = ?")
      try statement.bind(SQLiteValue(account))
      return try statement.firstRow { () throws(SQLiteError) in
        LogPosition(newestSequence: statement.integer(0), newestOrdinal: statement.integer(1))
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
      let statement = try connection.statement("SELECT tag FROM changes WHERE account_id = ? AND sequence = ?")
      try statement.bind(SQLiteValue(account), .integer(sequence))
      return try statement.firstRow { () throws(SQLiteError) in UInt64(bitPattern: statement.integer(0)) }
    }
  }

  func changes(
    of account: AccountID, after sequence: Int64, limit: Int
  ) throws(StorageError) -> [(change: LoggedChange, entity: LoggedEntity)] {
    try storing { () throws(SQLiteError) in
      let statement = try connection.statement(
        """
        SELECT log.sequence, log.tag, log.entity_kind, log.entity_id,
          alert.id, alert.ordinal, alert.started_at, alert.ended_at, alert.message, alert.latitude, alert.longitude,
          alert.drill, alert.received_at, alert.end_received_at,
          contact.name, contact.phone, contact.is_responder, contact.is_dependent, contact.channels,
          delivery.alert_id, delivery.contact_id, delivery.contact_name, delivery.notice, delivery.channel_kind,
          delivery.state, delivery.state_at, delivery.reason,
          alert.update_id, alert.update_at, alert.update_message, alert.update_latitude, alert.update_longitude,
          alert.update_accuracy_m, alert.update_battery_percent
        FROM changes AS log
          LEFT JOIN alerts AS alert
            ON log.entity_kind = 1 AND alert.account_id = log.account_id AND alert.id = log.entity_id
          LEFT JOIN contacts AS contact
            ON log.entity_kind = 2 AND contact.account_id = log.account_id AND contact.id = log.entity_id
          LEFT JOIN deliveries AS delivery ON log.entity_kind = 3 AND delivery.id = log.entity_id
        WHERE log.account_id = ? AND log.sequence > ? ORDER BY log.sequence LIMIT ?
        """
      )
      try statement.bind(SQLiteValue(account), .integer(sequence), .integer(Int64(limit)))
      return try statement.rows { () throws(SQLiteError) in try loggedChange(statement) }
    }
  }

  private func loggedChange(
    _ row: Statement
  ) throws(SQLiteError) -> (change: LoggedChange, entity: LoggedEntity) {
    guard let kind = EntityKey.Kind(rawValue: row.integer(2)) else { throw .storedWrong }
    let key = EntityKey(kind, try row.identifier(3))
    let change = LoggedChange(sequence: row.integer(0), tag: UInt64(bitPattern: row.integer(1)), entity: key)
    switch kind {
    case .alert:
      guard !row.isNull(4) else { return (change, .removed) }
      var record = try row.alertRecord(from: 4)
      record.newestUpdate = try row.newestUpdate(from: 27)
      return (change, .alert(record))
    case .contact:
      return (change, row.isNull(14) ? .removed : .contact(ContactID(key.id), try row.contactDetails(from: 14)))
    case .receipt: return (change, row.isNull(19) ? .removed : .receipt(try receipt(ReceiptID(key.id), row)))
    }
  }

  private func receipt(_ id: ReceiptID, _ row: Statement) throws(SQLiteError) -> Receipt {
    Receipt(
      id: id, alertID: try row.identifier(19), contactID: try row.identifier(20), contactName: row.text(21),
      notice: try row.choice(22), channel: try row.choice(23), state: try row.choice(24), at: row.timestamp(25),
      reason: row.optionalText(26))
  }
}
