package import Model
import SQLiteKit
package import ServerCore

// What is forgotten of alerts that ended long ago.
extension SQLiteServerTransaction {
  package func forget(
    _ part: ForgottenPart, ofAlertsEndedBefore time: Timestamp, limit: Int
  ) throws(StorageError) -> ForgottenCount {
    try storing { () throws(SQLiteError) in
      var count = ForgottenCount()
      let alerts = try alertsToForget(part, endedBefore: time, limit: limit)
      count.hasMore = alerts.count == limit
      for alert in alerts {
        if count.rows < limit { count.rows += try removeRows(part, of: alert, limit: limit - count.rows) }
        guard count.rows < limit else {
          count.hasMore = true
          break
        }
        try note(part, of: alert)
        count.rows += 1
        count.alerts += 1
      }
      return count
    }
  }

  private func alertsToForget(
    _ part: ForgottenPart, endedBefore time: Timestamp, limit: Int
  ) throws(SQLiteError) -> [AccountAlertRow] {
    try connection.statement(
      """
      SELECT account_id, id AS alert_id FROM alerts INDEXED BY alerts_to_forget
      WHERE forgotten = ? AND end_received_at IS NOT NULL AND end_received_at < ?
        AND NOT EXISTS (
          SELECT 1 FROM deliveries INDEXED BY deliveries_open
          WHERE account_id = alerts.account_id AND alert_id = alerts.id AND state = 'queued')
        AND NOT EXISTS (SELECT 1 FROM inbox_due WHERE account_id = alerts.account_id AND alert_id = alerts.id)
      ORDER BY end_received_at LIMIT ?
      """
    ).rows(
      .integer(part.rawValue - 1), SQLiteValue(time), .integer(Int64(limit)), row: AccountAlertRow.init(row:))
  }

  /// The rows that belong to `part`, at most `limit` of each kind. Returns how many.
  private func removeRows(
    _ part: ForgottenPart, of alert: AccountAlertRow, limit: Int
  ) throws(SQLiteError) -> Int {
    switch part {
    case .links:
      return try removeCopies(of: alert)
        + remove(
          """
          DELETE FROM page_links WHERE key IN
            (SELECT key FROM page_links WHERE account_id = ?1 AND alert_id = ?2 LIMIT ?3)
          """, of: alert, limit)
        + remove(
          """
          DELETE FROM answer_codes WHERE (key, account_id, alert_id, contact_id) IN
            (SELECT key, account_id, alert_id, contact_id FROM answer_codes WHERE account_id = ?1 AND alert_id = ?2 LIMIT ?3)
          """, of: alert, limit)
    case .places:
      let alone = try removePlacesAlone(of: alert, limit)
      guard alone < limit else { return alone }
      return try alone
        + remove(
          """
          UPDATE alert_updates SET latitude = NULL, longitude = NULL, accuracy_m = NULL
          WHERE account_id = ?1 AND alert_id = ?2 AND number IN
            (SELECT number FROM alert_updates INDEXED BY alert_updates_with_place
             WHERE account_id = ?1 AND alert_id = ?2 AND latitude IS NOT NULL LIMIT ?3)
          """, of: alert, limit)
    case .content:
      return try removeMessages(of: alert, limit)
        + remove(
          """
          DELETE FROM responses WHERE account_id = ?1 AND alert_id = ?2 AND contact_id IN
            (SELECT contact_id FROM responses WHERE account_id = ?1 AND alert_id = ?2 LIMIT ?3)
          """, of: alert, limit)
        + remove(
          """
          DELETE FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 AND number IN
            (SELECT number FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 LIMIT ?3)
          """, of: alert, limit)
    }
  }

  /// Copies that still stand in inboxes, and that they were written there: one for each responder who has an account.
  private func removeCopies(of alert: AccountAlertRow) throws(SQLiteError) -> Int {
    try connection.statement(
      """
      DELETE FROM inbox WHERE source_account_id = ?1 AND source_alert_id = ?2
        AND account_id IN (SELECT inbox_account_id FROM inbox_posts WHERE account_id = ?1 AND alert_id = ?2)
      """
    ).run(.text(alert.account), .text(alert.id))
    let copies = connection.changedRows
    try connection.statement("DELETE FROM inbox_posts WHERE account_id = ? AND alert_id = ?")
      .run(.text(alert.account), .text(alert.id))
    return copies + connection.changedRows
  }

  /// Updates that told no more than a place or a battery level, with their results: one that arrives again is refused, as the alert has ended.
  private func removePlacesAlone(of alert: AccountAlertRow, _ limit: Int) throws(SQLiteError) -> Int {
    try connection.statement(
      """
      DELETE FROM mutations WHERE account_id = ?1 AND id IN
        (SELECT mutation_id FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 AND is_call = 0
         ORDER BY number LIMIT ?3)
      """
    ).run(.text(alert.account), .text(alert.id), .integer(Int64(limit)))
    return try remove(
      """
      DELETE FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 AND number IN
        (SELECT number FROM alert_updates WHERE account_id = ?1 AND alert_id = ?2 AND is_call = 0
         ORDER BY number LIMIT ?3)
      """, of: alert, limit)
  }

  /// Messages with their receipts, but for the newest change of the account, which proves cursors.
  private func removeMessages(of alert: AccountAlertRow, _ limit: Int) throws(SQLiteError) -> Int {
    try connection.statement(
      """
      DELETE FROM changes WHERE account_id = ?1 AND entity_kind = 3 AND entity_id IN
          (SELECT id FROM deliveries WHERE account_id = ?1 AND alert_id = ?2
           ORDER BY contact_id, channel_url, notice, role, call_number LIMIT ?3)
        AND sequence < (SELECT newest_sequence FROM account_logs WHERE account_id = ?1)
      """
    ).run(.text(alert.account), .text(alert.id), .integer(Int64(limit)))
    return try remove(
      """
      DELETE FROM deliveries WHERE id IN
        (SELECT id FROM deliveries WHERE account_id = ?1 AND alert_id = ?2
         ORDER BY contact_id, channel_url, notice, role, call_number LIMIT ?3)
      """, of: alert, limit)
  }

  private func remove(
    _ statement: StaticString, of alert: AccountAlertRow, _ limit: Int
  ) throws(SQLiteError) -> Int {
    try connection.statement(statement).run(.text(alert.account), .text(alert.id), .integer(Int64(limit)))
    return connection.changedRows
  }

  private func note(_ part: ForgottenPart, of alert: AccountAlertRow) throws(SQLiteError) {
    let statement =
      switch part {
      case .links: try connection.statement("UPDATE alerts SET forgotten = 1 WHERE account_id = ? AND id = ?")
      case .places:
        try connection.statement(
          """
          UPDATE alerts SET forgotten = 2, latitude = NULL, longitude = NULL, update_latitude = NULL, update_longitude = NULL,
            update_accuracy_m = NULL
          WHERE account_id = ? AND id = ?
          """)
      case .content:
        try connection.statement(
          """
          UPDATE alerts SET forgotten = 3, message = NULL, utc_offset_minutes = NULL, update_id = NULL, update_at = NULL,
            update_message = NULL, update_battery_percent = NULL
          WHERE account_id = ? AND id = ?
          """)
      }
    try statement.run(.text(alert.account), .text(alert.id))
  }
}
