import Model
import PostgresKit
import ServerCore
import Wire

extension PostgresTransaction {
  func alert(_ id: AlertID, of account: AccountID) throws(StorageError) -> StoredAlert? {
    try row(
      "SELECT \(SQL.alert) FROM alerts WHERE account_id = $1 AND id = $2", PostgresValue(account), PostgresValue(id)
    ) { row throws(PostgresError) in try StoredAlert(row: row) }
  }

  func insert(_ alert: StoredAlert, _ batch: inout PostgresBatch) {
    let record = alert.record
    let activeFrom = noteRaised(alert)
    batch.add(
      """
      INSERT INTO alerts (account_id, id, \(Self.changingColumns), ordinal, device_id, started_at, message, latitude, longitude,
        drill, utc_offset_minutes, received_at, corrected_started_at, only_contact, active_from)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
        $25, $26, $27, $28, $29, $30, $31, $32)
      """,
      Self.columns(of: alert) + [
        .integer(record.ordinal), PostgresValue(alert.device), PostgresValue(record.alert.startedAt),
        PostgresValue(record.alert.message), PostgresValue(record.alert.location?.latitude),
        PostgresValue(record.alert.location?.longitude), PostgresValue(record.alert.isDrill),
        PostgresValue(alert.utcOffsetMinutes.map(Int64.init)), PostgresValue(record.receivedAt),
        PostgresValue(alert.correctedStartedAt), PostgresValue(record.alert.onlyContact),
        .integer(activeFrom),
      ])
  }

  /// Returns where to look for active alerts from now on: at the first one that this transaction has found, or at the new one itself; 0 if it
  /// has not found all of them.
  private func noteRaised(_ alert: StoredAlert) -> Int64 {
    guard let found = found[alert.account]?.firstActive else { return 0 }
    let first = min(found, alert.record.ordinal)
    self.found[alert.account]?.firstActive = first
    return first
  }

  /// Writes everything that can change in an alert.
  func update(_ alert: StoredAlert, _ batch: inout PostgresBatch) {
    batch.add(
      """
      UPDATE alerts SET (\(Self.changingColumns))
        = ($3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
      WHERE account_id = $1 AND id = $2
      """, Self.columns(of: alert))
  }

  private static let changingColumns = """
    ended_at, end_received_at, corrected_ended_at, notified_at, update_count, update_id, update_at, update_message,
    update_latitude, update_longitude, update_accuracy_m, update_battery_percent, asking_phase, asking_round, asking_tier,
    asking_due_at, silence_due_at, silent_since
    """

  /// The key, and those of `changingColumns`.
  private static func columns(of alert: StoredAlert) -> [PostgresValue] {
    let record = alert.record
    let update = record.newestUpdate?.update
    return [
      PostgresValue(alert.account), PostgresValue(alert.id), PostgresValue(record.alert.endedAt),
      PostgresValue(record.endReceivedAt), PostgresValue(alert.correctedEndedAt), PostgresValue(alert.notifiedAt),
      PostgresValue(alert.updateCount), PostgresValue(record.newestUpdate?.id), PostgresValue(update?.at),
      PostgresValue(update?.message), PostgresValue(update?.location?.latitude),
      PostgresValue(update?.location?.longitude), PostgresValue(update?.accuracyMeters),
      PostgresValue((update?.batteryPercent).map(Int64.init)), PostgresValue(alert.asking?.phase.rawValue),
      PostgresValue(alert.asking?.round ?? 0), PostgresValue(alert.asking?.tier ?? 1),
      PostgresValue(alert.asking?.dueAt), PostgresValue(alert.silenceDueAt), PostgresValue(alert.silentSince),
    ]
  }

  func insert(_ update: StoredUpdate, _ batch: inout PostgresBatch) {
    let body = update.update
    batch.add(
      """
      INSERT INTO alert_updates (account_id, alert_id, number, mutation_id, device_id, at, message, latitude, longitude,
        accuracy_m, battery_percent, received_at, is_call)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
      """, PostgresValue(update.account), PostgresValue(update.alert), PostgresValue(update.number),
      PostgresValue(update.id), PostgresValue(update.device), PostgresValue(body.at), PostgresValue(body.message),
      PostgresValue(body.location?.latitude), PostgresValue(body.location?.longitude),
      PostgresValue(body.accuracyMeters), PostgresValue(body.batteryPercent.map(Int64.init)),
      PostgresValue(update.receivedAt), PostgresValue(body.isCall))
  }
}
