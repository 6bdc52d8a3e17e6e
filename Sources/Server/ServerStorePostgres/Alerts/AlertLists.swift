import Model
import PostgresKit
import ServerCore

// Lists of alerts, with what a reader is told of the person who raised each.
extension PostgresTransaction {
  func alerts(
    of account: AccountID, activeOnly: Bool, before: Int64?, limit: Int
  ) throws(StorageError) -> [StoredAlert] {
    try rows(
      """
      SELECT \(SQL.alert) FROM alerts
      WHERE account_id = $1 AND ordinal < $2 \(Self.ownActive(activeOnly)) ORDER BY ordinal DESC LIMIT $3
      """, PostgresValue(account), .integer(before ?? .max), PostgresValue(limit)
    ) { row throws(PostgresError) in try StoredAlert(row: row) }
  }

  private static func ownActive(_ isAsked: Bool) -> String { isAsked ? "AND \(SQL.isActive(of: "$1"))" : "" }

  private static func active(_ isAsked: Bool) -> String { isAsked ? "AND ended_at IS NULL" : "" }

  /// The tables of a listed alert, and its columns.
  private static let listed = """
    \(SQL.alert), \(SQL.account), accounts.account_id AS owner_id,
      \(SQL.lastContact(of: "alerts.device_id", "alerts.account_id")) AS last_contact_at
    """

  func addList(
    _ need: AlertListNeed, for account: AccountRecord, _ batch: inout PostgresBatch,
    take: @escaping ([ListedAlert]) -> Void
  ) {
    let rows: PostgresBatch.Take = { rows throws(PostgresError) in
      take(try rows.map { row throws(PostgresError) in try ListedAlert(row: row) })
    }
    switch need {
    case .own(let activeOnly, let before, let limit):
      batch.add(
        """
        SELECT \(Self.listed) FROM alerts LEFT JOIN accounts ON accounts.account_id = alerts.account_id
        WHERE alerts.account_id = $1 AND ordinal < $2 \(Self.ownActive(activeOnly)) ORDER BY ordinal DESC LIMIT $3
        """, [PostgresValue(account.id), .integer(before ?? .max), PostgresValue(limit)], take: rows)
    case .responding(let activeOnly, let before, let limit):
      // One page of each account along its index, and the newest of all these.
      batch.add(
        """
        SELECT \(Self.listed)
        FROM (SELECT account_id FROM contacts WHERE phone = $2 AND is_responder UNION SELECT $1) AS seen
          CROSS JOIN LATERAL (
            SELECT * FROM alerts AS one
            WHERE one.account_id = seen.account_id AND (one.received_at, one.id) < ($3, $4) \(Self.active(activeOnly))
              AND one.forgotten < 3
              AND (one.only_contact IS NULL OR EXISTS (
                SELECT 1 FROM contacts WHERE contacts.account_id = one.account_id AND contacts.id = one.only_contact
                  AND contacts.phone = $2))
            ORDER BY one.received_at DESC, one.id DESC LIMIT $5) AS alerts
          LEFT JOIN accounts ON accounts.account_id = alerts.account_id
        ORDER BY alerts.received_at DESC, alerts.id DESC, alerts.account_id DESC LIMIT $5
        """,
        [
          PostgresValue(account.id), .text(account.phone), .integer(before?.receivedAt.milliseconds ?? .max),
          before.map { PostgresValue($0.id) } ?? .uuid(0, 0), PostgresValue(limit),
        ], take: rows)
    }
  }

  /// The caller's own alert with that id, and those of everybody who named them as a responder.
  func addVisible(_ id: AlertID, for account: AccountRecord, to box: Box<RequestFacts>, _ batch: inout PostgresBatch) {
    batch.add(
      """
      SELECT \(Self.listed) FROM alerts LEFT JOIN accounts ON accounts.account_id = alerts.account_id
      WHERE alerts.account_id = $1 AND alerts.id = $2
      """, PostgresValue(account.id), PostgresValue(id)
    ) { rows throws(PostgresError) in
      box.value.ownAlert = try rows.first { row throws(PostgresError) in try ListedAlert(row: row) }
    }
    batch.add(
      """
      SELECT \(Self.listed) FROM alerts LEFT JOIN accounts ON accounts.account_id = alerts.account_id
      WHERE alerts.id = $1
        AND alerts.forgotten < 3
        AND alerts.account_id IN (SELECT account_id FROM contacts WHERE phone = $2 AND is_responder)
        AND (only_contact IS NULL OR EXISTS (
          SELECT 1 FROM contacts WHERE contacts.account_id = alerts.account_id AND contacts.id = only_contact
            AND contacts.phone = $2))
      ORDER BY received_at, alerts.account_id
      """, PostgresValue(id), .text(account.phone)
    ) { rows throws(PostgresError) in
      box.value.alertsNaming = try rows.map { row throws(PostgresError) in try ListedAlert(row: row) }
    }
  }
}

extension ListedAlert {
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    let isKnown = try !row.isNull("owner_id")
    self.init(
      alert: try StoredAlert(row: row), phone: isKnown ? try row["phone"] : "",
      profile: try Profile(row: row, "name"), lastContactAt: try row["last_contact_at"])
  }
}
