import Model
import PostgresKit
import ServerCore
import Wire

// How rows become alerts and contacts.

extension StoredAlert {
  /// The columns of `SQL.alert`.
  init(row: PostgresRow) throws(PostgresError) {
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
  /// Nil where nobody is asked.
  fileprivate init?(row: PostgresRow) throws(PostgresError) {
    guard try !row.isNull("asking_phase") else { return nil }
    self.init(
      phase: try row.choice("asking_phase"), round: try row["asking_round"], tier: try row["asking_tier"],
      dueAt: try row["asking_due_at"])
  }
}

extension AlertRecord {
  /// The columns of `SQL.alertRecord`, and `id`.
  init(row: PostgresRow) throws(PostgresError) {
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
  /// Nil where there was no update.
  fileprivate init?(row: PostgresRow) throws(PostgresError) {
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
  fileprivate init?(row: PostgresRow, _ latitude: StaticString, _ longitude: StaticString) throws(PostgresError) {
    guard let north = try row[latitude, as: Double?.self], let east = try row[longitude, as: Double?.self] else {
      return nil
    }
    self = try stored(latitude) { () throws(InvalidInput) in try Location(latitude: north, longitude: east) }
  }
}

extension TrackPoint {
  init(row: PostgresRow) throws(PostgresError) {
    let (latitude, longitude): (Double, Double) = (try row["latitude"], try row["longitude"])
    self.init(
      at: try row["at"],
      location: try stored("latitude") { () throws(InvalidInput) in
        try Location(latitude: latitude, longitude: longitude)
      }, accuracyMeters: try row["accuracy_m"])
  }
}

extension ContactDetails {
  /// The columns of `SQL.contact`.
  init(
    row: PostgresRow, name: StaticString = "name", phone: StaticString = "phone"
  ) throws(PostgresError) {
    let (name, phone): (String, String) = (try row[name], try row[phone])
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
