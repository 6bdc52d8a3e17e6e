import Model
import SQLiteKit

// How rows are read as values of the model. Each initializer throws `SQLiteError.isUnreadableValue` where the row holds something else.

extension Alert {
  /// The columns `id, started_at, ended_at, message, latitude, longitude, drill`.
  ///
  /// An invalid location is dropped: the alert is worth more than its location.
  init(row: borrowing Row) throws(SQLiteError) {
    let latitude: Double? = try row["latitude"]
    let longitude: Double = try row["longitude"]
    self.init(
      id: try row["id"], startedAt: try row["started_at"], endedAt: try row["ended_at"], message: try row["message"],
      location: latitude.flatMap { try? Location(latitude: $0, longitude: longitude) }, isDrill: try row["drill"])
  }
}

extension Contact {
  /// The columns `id, name, phone, is_responder, is_dependent, channels, tier`.
  init(row: borrowing Row) throws(SQLiteError) {
    self.init(id: try row["id"], details: try ContactDetails(row: row))
  }
}

extension ContactDetails {
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    let (name, phone): (String, String) = (try row["name"], try row["phone"])
    let (isResponder, isDependent): (Bool, Bool) = (try row["is_responder"], try row["is_dependent"])
    let channels: String = try row["channels"]
    let tier: Int = try row["tier"]
    do {
      try self.init(
        foreignName: name, phone: phone, isResponder: isResponder, isDependent: isDependent,
        channels: [Channel](lines: channels), tier: tier)
    } catch {
      throw .unreadableValue(of: "the details of a contact")
    }
  }
}

extension Receipt {
  /// The columns `id, alert_id, contact_id, contact_name, notice, channel, state, at, reason`.
  init(row: borrowing Row) throws(SQLiteError) {
    self.init(
      id: try row["id"], alertID: try row["alert_id"], contactID: try row["contact_id"],
      contactName: try row["contact_name"], notice: try row.choice("notice"),
      channel: Channel.Kind(rawValue: try row["channel"]) ?? .other, state: try row.choice("state"), at: try row["at"],
      reason: try row["reason"])
  }
}

extension SQLiteValue {
  /// One URL a line: a channel's URL has no white space.
  init(_ channels: [Channel]) { self = .text(channels.map(\.url).joined(separator: "\n")) }
}
