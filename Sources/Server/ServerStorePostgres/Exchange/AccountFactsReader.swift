import Model
import PostgresKit
import ServerCore

/// Gathers the facts of one account. `[AccountFactsReader].add(to:)` adds the statements for them to a batch.
///
/// All facts come in one round trip, however many rows are named: a list of ids is one parameter.
final class AccountFactsReader {
  let account: AccountID
  var facts: AccountFacts
  let needs: FactNeeds
  private let transaction: PostgresTransaction
  private let key: PostgresValue
  /// False once the open deliveries turned out to be countable in the table alone.
  private(set) var isCounted = true

  /// - Parameter earlier: what is known already, to which the facts are added.
  init(
    _ needs: FactNeeds, of account: AccountID, after earlier: AccountFacts?, in transaction: PostgresTransaction
  ) {
    self.needs = needs
    self.account = account
    self.transaction = transaction
    key = PostgresValue(account)
    facts = earlier ?? AccountFacts()
    facts.needs.formUnion(needs)
  }

  func noteLimits(_ limits: PositionLimits) {
    transaction.found[account, default: FoundAccount()].limits = limits
  }

  /// What the shared statements do not give.
  func addOwn(to batch: inout PostgresBatch) {
    addAlerts(&batch)
    addContacts(&batch)
    if needs.openDeliveryCount { addOpenCount(&batch) }
    addEdits(&batch)
    addPages(&batch)
    addLog(&batch)
  }

  private func addContacts(_ batch: inout PostgresBatch) {
    if needs.contacts {
      batch.add(
        "SELECT id, \(SQL.contact), tested, failed FROM contacts WHERE account_id = $1", key
      ) { [self] rows throws(PostgresError) in
        for index in 0..<rows.count { try take(contact: rows[index]) }
      }
    }
  }

  func take(contact row: PostgresRow) throws(PostgresError) {
    let id: ContactID = try row["id"]
    facts.contacts[id] = try ContactDetails(row: row)
    let tested = [TestedChannel](lines: try row["tested"])
    facts.tested[id] = tested.isEmpty ? nil : tested
    try take(failedOf: row)
  }

  func take(failedOf row: PostgresRow) throws(PostgresError) {
    let failed = [FailedChannel](lines: try row["failed"])
    facts.failed[try row["id"]] = failed.isEmpty ? nil : failed
  }

  private func addPages(_ batch: inout PostgresBatch) {
    for alert in needs.tracks {
      batch.add(
        """
        SELECT least(at, received_at) AS at, latitude, longitude, accuracy_m FROM alert_updates
        WHERE account_id = $1 AND alert_id = $2 AND latitude IS NOT NULL ORDER BY number DESC LIMIT $3
        """, key, PostgresValue(alert), PostgresValue(TrackPoint.limit)
      ) { [self] rows throws(PostgresError) in
        facts.tracks[alert] = try rows.map { row throws(PostgresError) in try TrackPoint(row: row) }
      }
    }
    for alert in needs.newestPlaces { addNewestPlace(of: alert, &batch) }
  }

  private func addNewestPlace(of alert: AlertID, _ batch: inout PostgresBatch) {
    batch.add(
      """
      SELECT number, at FROM alert_updates WHERE account_id = $1 AND alert_id = $2 AND latitude IS NOT NULL
      ORDER BY number DESC LIMIT 1
      """, key, PostgresValue(alert)
    ) { [self] rows throws(PostgresError) in
      facts.newestPlaces[alert] = try rows.first { row throws(PostgresError) in
        NewestPlace(update: try row["number"], at: try row["at"])
      }
    }
  }

  private func addLog(_ batch: inout PostgresBatch) {
    for claim in needs.cursors {
      batch.add(
        """
        SELECT (SELECT tag FROM changes WHERE account_id = $1 AND sequence = $2) AS tag,
          EXISTS (SELECT 1 FROM cursors WHERE account_id = $1 AND sequence = $2 AND tag = $3) AS is_remembered
        """, key, .integer(claim.sequence), .integer(Int64(bitPattern: claim.tag))
      ) { [self] rows throws(PostgresError) in
        facts.cursors[claim] = CursorFact(
          tag: try rows[0]["tag", as: Int64?.self].map(UInt64.init(bitPattern:)),
          isRemembered: try rows[0]["is_remembered"])
      }
    }
    if let page = needs.page {
      addChanges(of: key, after: page.sequence, limit: page.count, &batch) { [self] in facts.page = $0 }
    }
  }
}

// Alerts
extension AccountFactsReader {
  private func addAlerts(_ batch: inout PostgresBatch) {
    if needs.activeAlerts > 0 {
      batch.add(
        """
        SELECT \(SQL.alert) FROM alerts WHERE account_id = $1 AND \(SQL.isActive(of: "$1"))
        ORDER BY ordinal DESC LIMIT $2
        """, key, PostgresValue(needs.activeAlerts)
      ) { [self] rows throws(PostgresError) in
        facts.activeAlerts = try take(alerts: rows)
        if rows.count < needs.activeAlerts { noteFirstActive() }
      }
    }
    if needs.newestAlerts > 0 {
      batch.add(
        "SELECT \(SQL.alert) FROM alerts WHERE account_id = $1 ORDER BY ordinal DESC LIMIT $2", key,
        PostgresValue(needs.newestAlerts)
      ) { [self] rows throws(PostgresError) in facts.newestAlerts = try take(alerts: rows) }
    }
    for seen in needs.newerUpdates { addNewerUpdate(than: seen, &batch) }
  }

  /// All that are active are known.
  private func noteFirstActive() {
    let ordinals = facts.activeAlerts.compactMap { facts.alerts[$0]?.record.ordinal }
    transaction.found[account, default: FoundAccount()].firstActive = ordinals.min() ?? .max
  }

  private func take(alerts rows: PostgresRows) throws(PostgresError) -> [AlertID] {
    try rows.map { row throws(PostgresError) in try take(alert: row) }
  }

  @discardableResult
  func take(alert row: PostgresRow) throws(PostgresError) -> AlertID {
    let alert = try StoredAlert(row: row)
    facts.alerts[alert.id] = alert
    return alert.id
  }

  /// Whether another device called for help again after the newest update that was seen. Unknown updates are ignored.
  private func addNewerUpdate(than seen: SeenUpdates, _ batch: inout PostgresBatch) {
    batch.add(
      """
      SELECT EXISTS (SELECT 1 FROM alert_updates
        WHERE account_id = $1 AND alert_id = $2 AND is_call AND device_id <> $4 AND number > (
          SELECT coalesce(max(found.number), 0) FROM unnest($3::uuid[]) AS seen (id) CROSS JOIN LATERAL (
            SELECT number FROM alert_updates
            WHERE account_id = $1 AND alert_id = $2 AND mutation_id = seen.id LIMIT 1) AS found))
      """, key, PostgresValue(seen.alert), PostgresValue(seen.updates), PostgresValue(seen.device)
    ) { [self] rows throws(PostgresError) in facts.newerUpdates[seen] = try rows.value() ?? false }
  }
}

// Deliveries
extension AccountFactsReader {
  /// Those that are in the schedule are counted there: in the table, PostgreSQL would visit all versions of what was delivered already, for as
  /// long as anyone keeps an old state of the database in sight.
  private func addOpenCount(_ batch: inout PostgresBatch) {
    guard transaction.mayKnowSchedule else { return addWholeCount(&batch) }
    batch.add(
      "SELECT count(*) FROM deliveries WHERE account_id = $1 AND state = 'queued' AND due_at IS NULL", key
    ) { [self] rows throws(PostgresError) in
      let held: Int = try rows.value() ?? 0
      let scheduled = transaction.knowsSchedule ? transaction.schedule.count(of: account) : nil
      isCounted = scheduled != nil
      facts.openDeliveryCount = held + (scheduled ?? 0)
    }
  }

  /// Counts in the table.
  func addWholeCount(_ batch: inout PostgresBatch) {
    isCounted = true
    batch.add("SELECT count(*) FROM deliveries WHERE account_id = $1 AND state = 'queued'", key) {
      [self] rows throws(PostgresError) in facts.openDeliveryCount = try rows.value() ?? 0
    }
  }

  /// What an edit of contacts may touch: what is queued for each, and the deliveries to them about alerts of which they may be told.
  private func addEdits(_ batch: inout PostgresBatch) {
    guard !needs.editedContacts.isEmpty else { return }
    let (active, newest) = (PostgresValue(facts.needs.activeAlerts), PostgresValue(facts.needs.newestAlerts))
    batch.add(
      """
      SELECT \(SQL.delivery) FROM (
          \(Self.alertsToTell)
          UNION SELECT deliveries.account_id, deliveries.alert_id
          FROM unnest($4::uuid[]) AS contact (id)
            JOIN deliveries ON deliveries.account_id = $1 AND deliveries.contact_id = contact.id AND state = 'queued'
        ) AS told
        JOIN deliveries ON deliveries.account_id = told.account_id AND deliveries.alert_id = told.alert_id
      WHERE deliveries.contact_id = ANY($4)
      """, key, active, newest, PostgresValue(needs.editedContacts)
    ) { [self] rows throws(PostgresError) in
      for index in 0..<rows.count { try take(delivery: rows[index]) }
      noteEdits()
    }
    batch.add(
      """
      SELECT deliveries.alert_id, count(*) AS count FROM (\(Self.alertsToTell)) AS told
        JOIN deliveries ON deliveries.account_id = told.account_id AND deliveries.alert_id = told.alert_id
      GROUP BY deliveries.alert_id
      """, key, active, newest
    ) { [self] rows throws(PostgresError) in
      for alert in facts.activeAlerts + facts.newestAlerts { facts.deliveryCounts[alert] = 0 }
      for index in 0..<rows.count { try take(count: rows[index]) }
    }
  }

  /// Of the account `$1`: the newest active alerts, `$2` at most, and the newest of all, `$3` at most.
  private static let alertsToTell = """
    (SELECT account_id, id AS alert_id FROM alerts WHERE account_id = $1 AND \(SQL.isActive(of: "$1"))
      ORDER BY ordinal DESC LIMIT $2)
    UNION (SELECT account_id, id FROM alerts WHERE account_id = $1 ORDER BY ordinal DESC LIMIT $3)
    """

  /// Notes what `addEdits` fetched.
  private func noteEdits() {
    let alerts = Set(facts.activeAlerts + facts.newestAlerts)
    for contact in needs.editedContacts {
      for alert in alerts { facts.needs.deliveriesToContacts.insert(AlertContact(alert, contact)) }
    }
    for delivery in facts.deliveries.values
    where delivery.state == .queued && needs.editedContacts.contains(delivery.target.contact) {
      facts.needs.deliveriesToContacts.insert(AlertContact(delivery.target.alert, delivery.target.contact))
    }
    facts.needs.deliveryCounts.formUnion(alerts)
  }

  func take(delivery row: PostgresRow) throws(PostgresError) {
    let delivery = try transaction.stored(delivery: row)
    facts.deliveries[delivery.id] = delivery
  }

  func take(count row: PostgresRow) throws(PostgresError) {
    facts.deliveryCounts[try row["alert_id"]] = try row["count"]
  }
}
