import Model
import SQLiteKit
import ServerCore
import Wire

// How rows become alerts and contacts. Each initializer throws `SQLiteError.isUnreadableValue` where the row holds something else.

extension StoredAlert {
  /// All columns of `alerts`.
  init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      account: try row["account_id"], record: try AlertRecord(row: row), device: try row["device_id"],
      utcOffsetMinutes: try row["utc_offset_minutes"], notifiedAt: try row["notified_at"])
    updateCount = try row["update_count"]
    asking = try Asking(row: row)
    silenceDueAt = try row["silence_due_at"]
    silentSince = try row["silent_since"]
    correctedStartedAt = try row["corrected_started_at"]
    correctedEndedAt = try row["corrected_ended_at"]
    forgotten = ForgottenPart(rawValue: try row["forgotten"])
  }
}

extension Asking {
  /// The columns of `alerts` that begin with `asking`; nil where nobody is asked.
  fileprivate init?(row: borrowing Row) throws(SQLiteError) {
    guard try !row.isNull("asking_phase") else { return nil }
    self.init(
      phase: try row.choice("asking_phase"), round: try row["asking_round"], tier: try row["asking_tier"],
      dueAt: try row["asking_due_at"])
  }
}

extension AlertRecord {
  /// The columns of `alerts` that devices see: `id`, `ordinal`, `started_at`, `ended_at`, `message`, `latitude`, `longitude`, `drill`,
  /// `only_contact`, `received_at`, `end_received_at` and those of the newest update.
  init(row: borrowing Row) throws(SQLiteError) {
    let alert = Alert(
      id: try row["id"], startedAt: try row["started_at"], endedAt: try row["ended_at"], message: try row["message"],
      location: try Location(row: row, "latitude", "longitude"), isDrill: try row["drill"],
      onlyContact: try row["only_contact"])
    self.init(
      alert: alert, ordinal: try row["ordinal"], receivedAt: try row["received_at"],
      endReceivedAt: try row["end_received_at"], newestUpdate: try NewestUpdate(row: row))
  }
}

extension NewestUpdate {
  /// The columns of `alerts` from `update_id` to `update_battery_percent`; nil where there was no update.
  fileprivate init?(row: borrowing Row) throws(SQLiteError) {
    guard let id = try row["update_id", as: MutationID?.self] else { return nil }
    let update = AlertUpdate(
      at: try row["update_at"], message: try row["update_message"],
      location: try Location(row: row, "update_latitude", "update_longitude"),
      accuracyMeters: try row["update_accuracy_m"], batteryPercent: try row["update_battery_percent"])
    self.init(id: id, update: update)
  }
}

extension Location {
  /// Nil where a coordinate is null.
  fileprivate init?(row: borrowing Row, _ latitude: StaticString, _ longitude: StaticString) throws(SQLiteError) {
    guard let north = try row[latitude, as: Double?.self], let east = try row[longitude, as: Double?.self] else {
      return nil
    }
    self = try stored(latitude) { () throws(InvalidInput) in try Location(latitude: north, longitude: east) }
  }
}

extension ContactDetails {
  /// The columns `name`, `phone`, `is_responder`, `is_dependent`, `channels`, `tier`.
  init(row: borrowing Row) throws(SQLiteError) {
    let (name, phone): (String, String) = (try row["name"], try row["phone"])
    let (isResponder, isDependent): (Bool, Bool) = (try row["is_responder"], try row["is_dependent"])
    let channels: String = try row["channels"]
    let tier: Int = try row["tier"]
    self = try stored("the details of a contact") { () throws(InvalidInput) in
      try ContactDetails(
        name: name, phone: phone, isResponder: isResponder, isDependent: isDependent,
        channels: [Channel](lines: channels), tier: tier)
    }
  }
}

/// Makes a value that was valid when it was stored.
func stored<Value>(
  _ column: StaticString, _ make: () throws(InvalidInput) -> Value
) throws(SQLiteError) -> Value {
  do {
    return try make()
  } catch {
    throw .unreadableValue(of: column)
  }
}
