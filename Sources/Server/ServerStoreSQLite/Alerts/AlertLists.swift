package import Model
import SQLiteKit
package import ServerCore

// Lists of alerts, each read along one index.
extension SQLiteServerTransaction {
  package func alerts(
    of account: AccountID, activeOnly: Bool, before: Int64?, limit: Int
  ) throws(StorageError) -> [StoredAlert] {
    try storing { () throws(SQLiteError) in
      let all: StaticString = """
        SELECT id, ordinal, started_at, ended_at, message, latitude, longitude, drill, received_at, end_received_at,
          account_id, device_id, utc_offset_minutes, notified_at, update_count, update_id, update_at, update_message,
          update_latitude, update_longitude, update_accuracy_m, update_battery_percent,
          corrected_started_at, corrected_ended_at, asking_phase, asking_round, asking_tier, asking_due_at,
          silence_due_at, silent_since, only_contact, forgotten FROM alerts
        WHERE account_id = ? AND ordinal < ? ORDER BY ordinal DESC LIMIT ?
        """
      let active: StaticString = """
        SELECT id, ordinal, started_at, ended_at, message, latitude, longitude, drill, received_at, end_received_at,
          account_id, device_id, utc_offset_minutes, notified_at, update_count, update_id, update_at, update_message,
          update_latitude, update_longitude, update_accuracy_m, update_battery_percent,
          corrected_started_at, corrected_ended_at, asking_phase, asking_round, asking_tier, asking_due_at,
          silence_due_at, silent_since, only_contact, forgotten FROM alerts INDEXED BY alerts_active
        WHERE account_id = ? AND ordinal < ? AND ended_at IS NULL ORDER BY ordinal DESC LIMIT ?
        """
      return try connection.statement(activeOnly ? active : all)
        .rows(SQLiteValue(account), .integer(before ?? .max), .integer(Int64(limit)), row: StoredAlert.init(row:))
    }
  }

  func alerts(
    of account: AccountID, andOfThoseNaming phone: String, activeOnly: Bool, before: ReceivedPosition?, limit: Int
  ) throws(StorageError) -> [StoredAlert] {
    try storing { () throws(SQLiteError) in
      var alerts: [StoredAlert] = []
      for account in Set(try accounts(naming: phone)).union([account]) {
        alerts += try newest(of: account, seenBy: phone, activeOnly: activeOnly, before: before, limit: limit)
      }
      let sorted = alerts.map { (key: ($0.record.receivedAt, $0.id.description, $0.account.description), alert: $0) }
        .sorted { $1.key < $0.key }
      return sorted.prefix(limit).map(\.alert)
    }
  }

  private func accounts(naming phone: String) throws(SQLiteError) -> [AccountID] {
    try connection.statement(
      "SELECT DISTINCT account_id FROM contacts WHERE phone = ? AND is_responder = 1"
    ).rows(.text(phone)) { row in try row["account_id"] }
  }

  /// One account's alerts, last received first, without tests of a responder who does not have this number, and without those of which
  /// everything is forgotten. Reads no more than a page.
  private func newest(
    of account: AccountID, seenBy phone: String, activeOnly: Bool, before: ReceivedPosition?, limit: Int
  ) throws(SQLiteError) -> [StoredAlert] {
    let all: StaticString = """
      SELECT id, ordinal, started_at, ended_at, message, latitude, longitude, drill, received_at, end_received_at,
        account_id, device_id, utc_offset_minutes, notified_at, update_count, update_id, update_at, update_message,
          update_latitude, update_longitude, update_accuracy_m, update_battery_percent,
          corrected_started_at, corrected_ended_at, asking_phase, asking_round, asking_tier, asking_due_at,
          silence_due_at, silent_since, only_contact, forgotten FROM alerts INDEXED BY alerts_by_receipt
      WHERE account_id = ?1 AND (received_at, id) < (?2, ?3) AND forgotten < 3 AND (only_contact IS NULL
        OR EXISTS (SELECT 1 FROM contacts WHERE account_id = ?1 AND id = only_contact AND phone = ?5))
      ORDER BY received_at DESC, id DESC LIMIT ?4
      """
    let active: StaticString = """
      SELECT id, ordinal, started_at, ended_at, message, latitude, longitude, drill, received_at, end_received_at,
        account_id, device_id, utc_offset_minutes, notified_at, update_count, update_id, update_at, update_message,
          update_latitude, update_longitude, update_accuracy_m, update_battery_percent,
          corrected_started_at, corrected_ended_at, asking_phase, asking_round, asking_tier, asking_due_at,
          silence_due_at, silent_since, only_contact, forgotten FROM alerts INDEXED BY alerts_active
      WHERE account_id = ?1 AND (received_at, id) < (?2, ?3) AND ended_at IS NULL AND (only_contact IS NULL
        OR EXISTS (SELECT 1 FROM contacts WHERE account_id = ?1 AND id = only_contact AND phone = ?5))
      ORDER BY received_at DESC, id DESC LIMIT ?4
      """
    return try connection.statement(activeOnly ? active : all)
      .rows(
        SQLiteValue(account), .integer(before?.receivedAt.milliseconds ?? .max), .text(before?.id.description ?? ""),
        .integer(Int64(limit)), .text(phone), row: StoredAlert.init(row:))
  }

  func alerts(_ id: AlertID, ofThoseNaming phone: String) throws(StorageError) -> [StoredAlert] {
    try storing { () throws(SQLiteError) in
      try connection.statement(
        """
        SELECT id, ordinal, started_at, ended_at, message, latitude, longitude, drill, received_at, end_received_at,
          account_id, device_id, utc_offset_minutes, notified_at, update_count, update_id, update_at, update_message,
          update_latitude, update_longitude, update_accuracy_m, update_battery_percent,
          corrected_started_at, corrected_ended_at, asking_phase, asking_round, asking_tier, asking_due_at,
          silence_due_at, silent_since, only_contact, forgotten FROM alerts
        WHERE id = ?1 AND account_id IN (SELECT account_id FROM contacts WHERE phone = ?2 AND is_responder = 1)
          AND forgotten < 3
          AND (only_contact IS NULL OR EXISTS (
            SELECT 1 FROM contacts WHERE account_id = alerts.account_id AND id = only_contact AND phone = ?2))
        ORDER BY received_at, account_id
        """
      ).rows(SQLiteValue(id), .text(phone), row: StoredAlert.init(row:))
    }
  }
}
