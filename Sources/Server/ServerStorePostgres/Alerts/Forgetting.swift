import Model
import PostgresKit
import ServerCore

// What is forgotten of alerts that ended long ago.
extension PostgresTransaction {
  func forget(
    _ part: ForgottenPart, ofAlertsEndedBefore time: Timestamp, limit: Int
  ) throws(StorageError) -> ForgottenCount {
    let ended = try alertsToForget(part, endedBefore: time, limit: limit)
    let (rows, done) = try remove(part, of: ended.map(\.key), limit: limit)
    let left = ended.first { !done.contains($0.key) }
    let hasMore = ended.count == limit || left != nil
    if !hasMore {
      housekeepingFloors.endRound(of: .forgotten(part))
    } else if let next = left ?? ended.last {
      // The next step goes on where the first ended that has rows left, or else the last.
      housekeepingFloors[.forgotten(part), before: time] = next.endedAt
    }
    return ForgottenCount(rows: rows + done.count, alerts: done.count, hasMore: hasMore)
  }

  /// Removes up to `limit` rows of each kind. Returns how many, and the alerts that have none left, which it notes as forgotten.
  private func remove(
    _ part: ForgottenPart, of alerts: [AccountAlert], limit: Int
  ) throws(StorageError) -> (rows: Int, done: Set<AccountAlert>) {
    guard !alerts.isEmpty else { return (0, []) }
    var removed = 0
    var done: Set<AccountAlert> = []
    let (accounts, ids) = (PostgresValue(alerts.map(\.account)), PostgresValue(alerts.map(\.alert)))
    var batch = PostgresBatch()
    for statement in Self.removals(of: part) {
      batch.add(statement, accounts, ids, PostgresValue(limit)) { removed += $0.affectedCount }
    }
    batch.add(Self.notes(of: part), accounts, ids) { rows throws(PostgresError) in
      done = Set(try rows.map { row throws(PostgresError) in try AccountAlert(row: row) })
    }
    try run(batch)
    return (removed, done)
  }

  private struct EndedAlert {
    let key: AccountAlert
    let endedAt: Timestamp
  }

  /// Those that ended first, from where the round has come to.
  private func alertsToForget(
    _ part: ForgottenPart, endedBefore time: Timestamp, limit: Int
  ) throws(StorageError) -> [EndedAlert] {
    try rows(
      """
      SELECT account_id, id, end_received_at FROM alerts
      WHERE forgotten = $1 AND end_received_at IS NOT NULL AND end_received_at >= $4 AND end_received_at < $2
        AND NOT EXISTS (
          SELECT 1 FROM deliveries
          WHERE deliveries.account_id = alerts.account_id AND deliveries.alert_id = alerts.id AND deliveries.state = 'queued')
        AND NOT EXISTS (
          SELECT 1 FROM inbox_due WHERE inbox_due.account_id = alerts.account_id AND inbox_due.alert_id = alerts.id)
      ORDER BY end_received_at, account_id, id LIMIT $3
      """, .integer(part.rawValue - 1), PostgresValue(time), PostgresValue(limit),
      PostgresValue(housekeepingFloors[.forgotten(part), before: time])
    ) { row throws(PostgresError) in
      EndedAlert(key: try AccountAlert(row: row), endedAt: try row["end_received_at"])
    }
  }

  private static let ended = "unnest($1::uuid[], $2::uuid[]) AS ended (account_id, alert_id)"

  /// Each with the accounts and ids of alerts and a limit. The number of its rows is that of what it removed or changed.
  private static func removals(of part: ForgottenPart) -> [String] {
    switch part {
    case .links: linkRemovals
    case .places: placeRemovals
    case .content: contentRemovals
    }
  }

  private static let linkRemovals = [
    """
    WITH posts AS (
      DELETE FROM inbox_posts WHERE (account_id, alert_id, inbox_account_id) IN (
        SELECT old.account_id, old.alert_id, old.inbox_account_id FROM \(ended)
          JOIN inbox_posts AS old ON old.account_id = ended.account_id AND old.alert_id = ended.alert_id
        LIMIT $3)
      RETURNING account_id, alert_id, inbox_account_id),
    copies AS (
      DELETE FROM inbox USING posts
      WHERE inbox.account_id = posts.inbox_account_id AND inbox.source_account_id = posts.account_id
        AND inbox.source_alert_id = posts.alert_id)
    SELECT alert_id FROM posts
    """,
    """
    DELETE FROM page_links WHERE key IN (
      SELECT page_links.key FROM \(ended)
        JOIN page_links ON page_links.account_id = ended.account_id AND page_links.alert_id = ended.alert_id
      LIMIT $3)
    """,
    """
    DELETE FROM answer_codes WHERE (key, account_id, alert_id, contact_id) IN (
      SELECT answer_codes.key, answer_codes.account_id, answer_codes.alert_id, answer_codes.contact_id FROM \(ended)
        JOIN answer_codes ON answer_codes.account_id = ended.account_id AND answer_codes.alert_id = ended.alert_id
      LIMIT $3)
    """,
  ]

  private static let placeRemovals = [
    // Updates that told no more than a place or a battery level, with their results: one that arrives again is refused, as the alert has ended.
    """
    WITH gone AS (
      DELETE FROM alert_updates WHERE (account_id, alert_id, number) IN (
        SELECT old.account_id, old.alert_id, old.number FROM \(ended)
          JOIN alert_updates AS old ON old.account_id = ended.account_id AND old.alert_id = ended.alert_id
        WHERE NOT old.is_call LIMIT $3)
      RETURNING account_id, mutation_id),
    their_results AS (
      DELETE FROM mutations USING gone WHERE mutations.account_id = gone.account_id AND mutations.id = gone.mutation_id)
    SELECT mutation_id FROM gone
    """,
    """
    UPDATE alert_updates SET latitude = NULL, longitude = NULL, accuracy_m = NULL
    WHERE (account_id, alert_id, number) IN (
      SELECT old.account_id, old.alert_id, old.number FROM \(ended)
        JOIN alert_updates AS old ON old.account_id = ended.account_id AND old.alert_id = ended.alert_id
      WHERE old.latitude IS NOT NULL AND old.is_call LIMIT $3)
    """,
  ]

  private static let contentRemovals = [
    // Messages with their receipts, but for the newest change of an account, which proves cursors.
    """
    WITH gone AS (
      DELETE FROM deliveries WHERE (account_id, id) IN (
        SELECT old.account_id, old.id FROM \(ended)
          JOIN deliveries AS old ON old.account_id = ended.account_id AND old.alert_id = ended.alert_id
        LIMIT $3)
      RETURNING account_id, id),
    their_changes AS (
      DELETE FROM changes USING gone
      WHERE changes.account_id = gone.account_id AND changes.entity_kind = 3 AND changes.entity_id = gone.id
        AND changes.sequence < (
          SELECT newest.sequence FROM changes AS newest WHERE newest.account_id = gone.account_id
          ORDER BY newest.sequence DESC LIMIT 1))
    SELECT id FROM gone
    """,
    """
    DELETE FROM responses WHERE (account_id, alert_id, contact_id) IN (
      SELECT old.account_id, old.alert_id, old.contact_id FROM \(ended)
        JOIN responses AS old ON old.account_id = ended.account_id AND old.alert_id = ended.alert_id
      LIMIT $3)
    """,
    """
    DELETE FROM alert_updates WHERE (account_id, alert_id, number) IN (
      SELECT old.account_id, old.alert_id, old.number FROM \(ended)
        JOIN alert_updates AS old ON old.account_id = ended.account_id AND old.alert_id = ended.alert_id
      LIMIT $3)
    """,
  ]

  /// With the accounts and ids of alerts: notes it of those that have no row of that part any more, and gives these.
  private static func notes(of part: ForgottenPart) -> String {
    switch part {
    case .links:
      """
      UPDATE alerts SET forgotten = 1 FROM \(ended) WHERE \(isEnded)
        AND NOT EXISTS (SELECT 1 FROM page_links AS kept WHERE \(isKept))
        AND NOT EXISTS (SELECT 1 FROM answer_codes AS kept WHERE \(isKept))
        AND NOT EXISTS (SELECT 1 FROM inbox_posts AS kept WHERE \(isKept))
      \(given)
      """
    case .places:
      """
      UPDATE alerts SET forgotten = 2, latitude = NULL, longitude = NULL, update_latitude = NULL, update_longitude = NULL,
        update_accuracy_m = NULL
      FROM \(ended) WHERE \(isEnded)
        AND NOT EXISTS (
          SELECT 1 FROM alert_updates AS kept WHERE \(isKept) AND (NOT kept.is_call OR kept.latitude IS NOT NULL))
      \(given)
      """
    case .content:
      """
      UPDATE alerts SET forgotten = 3, message = NULL, utc_offset_minutes = NULL, update_id = NULL, update_at = NULL,
        update_message = NULL, update_battery_percent = NULL
      FROM \(ended) WHERE \(isEnded)
        AND NOT EXISTS (SELECT 1 FROM deliveries AS kept WHERE \(isKept))
        AND NOT EXISTS (SELECT 1 FROM responses AS kept WHERE \(isKept))
        AND NOT EXISTS (SELECT 1 FROM alert_updates AS kept WHERE \(isKept))
      \(given)
      """
    }
  }

  private static let given = "RETURNING alerts.account_id, alerts.id"
  private static let isEnded = "alerts.account_id = ended.account_id AND alerts.id = ended.alert_id"
  private static let isKept = "kept.account_id = ended.account_id AND kept.alert_id = ended.alert_id"
}

extension AccountAlert {
  /// The row of an alert.
  fileprivate init(row: PostgresRow) throws(PostgresError) {
    self.init(account: try row["account_id"], alert: try row["id"])
  }
}
