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
      FROM changes AS log \(Self.entities)
      WHERE log.account_id = $1 AND log.sequence > $2 ORDER BY log.sequence LIMIT $3
      """, account, .integer(sequence), PostgresValue(limit)
    ) { rows throws(PostgresError) in
      take(try rows.map { row throws(PostgresError) in try Self.loggedChange(row) })
    }
  }

  /// What the entries of `log` are about.
  private static let entities = """
    LEFT JOIN LATERAL (\(logged(1, "alerts.id, \(SQL.alertRecord)", of: "alerts"))) AS alerts ON true
    LEFT JOIN LATERAL (\(logged(2, "\(SQL.contact), tested, failed", of: "contacts"))) AS contacts ON true
    LEFT JOIN LATERAL (\(logged(3, receipt, of: "deliveries"))) AS deliveries ON true
    LEFT JOIN LATERAL (\(logged(4, "name", of: "accounts", id: "account_id"))) AS accounts ON true
    LEFT JOIN LATERAL (\(logged(5, "record", of: "inbox"))) AS inbox ON true
    """

  private static let receipt =
    "alert_id, contact_id, contact_name, notice, channel_url, state, state_at, reason, role"

  /// The row of an entry, if it is of this kind. With a limit, PostgreSQL does not read all rows of the account once for all entries.
  private static func logged(_ kind: Int, _ columns: String, of table: String, id: String = "id") -> String {
    """
    SELECT \(columns) FROM \(table)
    WHERE log.entity_kind = \(kind) AND \(table).account_id = log.account_id AND \(table).\(id) = log.entity_id LIMIT 1
    """
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
