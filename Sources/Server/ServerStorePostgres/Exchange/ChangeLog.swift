import Model
import PostgresKit
import ServerCore
import Wire

extension AccountFactsReader {
  /// Changes of the log with what their entities are now, oldest first.
  func addChanges(
    of account: PostgresValue, after sequence: Int64, limit: Int, _ batch: inout PostgresBatch,
    take: @escaping ([(change: LoggedChange, entity: LoggedEntity)]) -> Void
  ) {
    batch.add(
      """
      SELECT log.sequence, log.tag, log.entity_kind, log.entity_id, alerts.id, \(SQL.alertRecord),
        contacts.name AS contact_name, contacts.phone AS contact_phone, contacts.is_responder, contacts.is_dependent,
        contacts.channels, contacts.tier, contacts.tested, contacts.failed,
        deliveries.alert_id, deliveries.contact_id, deliveries.contact_name AS receipt_name, deliveries.notice,
        deliveries.channel_url, deliveries.state, deliveries.state_at, deliveries.reason, deliveries.role,
        accounts.name AS profile_name, inbox.record
      FROM changes AS log
        LEFT JOIN alerts ON log.entity_kind = 1 AND alerts.account_id = log.account_id AND alerts.id = log.entity_id
        LEFT JOIN contacts ON log.entity_kind = 2 AND contacts.account_id = log.account_id AND contacts.id = log.entity_id
        LEFT JOIN deliveries
          ON log.entity_kind = 3 AND deliveries.account_id = log.account_id AND deliveries.id = log.entity_id
        LEFT JOIN accounts
          ON log.entity_kind = 4 AND accounts.account_id = log.account_id AND accounts.account_id = log.entity_id
        LEFT JOIN inbox ON log.entity_kind = 5 AND inbox.account_id = log.account_id AND inbox.id = log.entity_id
      WHERE log.account_id = $1 AND log.sequence > $2 ORDER BY log.sequence LIMIT $3
      """, account, .integer(sequence), PostgresValue(limit)
    ) { rows throws(PostgresError) in
      take(try rows.map { row throws(PostgresError) in try Self.loggedChange(row) })
    }
  }

  private static func loggedChange(
    _ row: PostgresRow
  ) throws(PostgresError) -> (change: LoggedChange, entity: LoggedEntity) {
    let key = EntityKey(try row.choice("entity_kind"), try row["entity_id"])
    let tag: Int64 = try row["tag"]
    let change = LoggedChange(sequence: try row["sequence"], tag: UInt64(bitPattern: tag), entity: key)
    return (change, try loggedEntity(key, row))
  }

  private static func loggedEntity(_ key: EntityKey, _ row: PostgresRow) throws(PostgresError) -> LoggedEntity {
    switch key.kind {
    case .alert: return try row.isNull("id") ? .removed : .alert(try AlertRecord(row: row))
    case .contact:
      guard try !row.isNull("contact_name") else { return .removed }
      let details = try ContactDetails(row: row, name: "contact_name", phone: "contact_phone")
      return .contact(
        ContactID(key.id), details, [TestedChannel](lines: try row["tested"]), [FailedChannel](lines: try row["failed"])
      )
    case .receipt: return try loggedReceipt(ReceiptID(key.id), row).map { .receipt($0) } ?? .removed
    case .profile: return try Profile(row: row, "profile_name").map { .profile($0) } ?? .removed
    case .inbox: return try row.isNull("record") ? .removed : .inbox(try InboxAlert(row: row))
    }
  }

  /// Nil where the delivery is gone, or has no receipt.
  private static func loggedReceipt(_ id: ReceiptID, _ row: PostgresRow) throws(PostgresError) -> Receipt? {
    guard try !row.isNull("alert_id") else { return nil }
    let role: DeliveryRole = try row.choice("role")
    let state: DeliveryState = try row.choice("state")
    guard role.hasReceipt(in: state) else { return nil }
    return Receipt(
      id: id, alertID: try row["alert_id"], contactID: try row["contact_id"], contactName: try row["receipt_name"],
      notice: try row.choice("notice"), channel: StoredDelivery.kind(ofReceipt: try Channel(row: row)), state: state,
      at: try row["state_at"], reason: try row["reason"])
  }
}
