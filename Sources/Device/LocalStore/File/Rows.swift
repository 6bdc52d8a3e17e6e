import Model
import SQLiteKit

// How rows are read as values of the model.

extension Statement {
  /// An id; throws `damaged` where the column holds something else.
  func identifier<Subject>(_ column: Int32) throws(LocalStoreError) -> Identifier<Subject> {
    guard let identifier = Identifier<Subject>(stored: text(column)) else { throw .unreadableRow }
    return identifier
  }

  func time(_ column: Int32) -> Timestamp { Timestamp(milliseconds: integer(column)) }

  func optionalTime(_ column: Int32) -> Timestamp? { optionalInteger(column).map { Timestamp(milliseconds: $0) } }

  /// A value of an enumeration; throws `damaged` where the column holds something else.
  func enumeration<Value: RawRepresentable<String>>(_ column: Int32) throws(LocalStoreError) -> Value {
    guard let value = Value(rawValue: text(column)) else { throw .unreadableRow }
    return value
  }

  /// The columns `id, started_at, ended_at, message, latitude, longitude, drill`, which come first in every query for
  /// alerts. A place that is none is damage, and left out: the alert is worth more than its place.
  func alert() throws(LocalStoreError) -> Alert {
    Alert(
      id: try identifier(0),
      startedAt: time(1),
      endedAt: optionalTime(2),
      message: optionalText(3),
      location: isNull(4) ? nil : try? Location(latitude: real(4), longitude: real(5)),
      isDrill: boolean(6)
    )
  }

  /// The columns `id, name, phone, is_responder, is_dependent, channels`, which come first in every query for contacts.
  func contact() throws(LocalStoreError) -> Contact {
    Contact(id: try identifier(0), details: try contactDetails())
  }

  private func contactDetails() throws(LocalStoreError) -> ContactDetails {
    do {
      return try ContactDetails(
        foreignName: text(1), phone: text(2), isResponder: boolean(3), isDependent: boolean(4),
        channels: text(5).split(separator: "\n").map { try Channel(foreign: String($0)) })
    } catch {
      throw .unreadableRow
    }
  }

  /// The columns `id, alert_id, contact_id, contact_name, notice, channel, state, at, reason`.
  func receipt() throws(LocalStoreError) -> Receipt {
    Receipt(
      id: try identifier(0), alertID: try identifier(1), contactID: try identifier(2), contactName: text(3),
      notice: try enumeration(4), channel: Channel.Kind(rawValue: text(5)) ?? .other, state: try enumeration(6),
      at: time(7),
      reason: optionalText(8)
    )
  }
}

extension LocalStoreError {
  static var unreadableRow: LocalStoreError {
    LocalStoreError(.damaged, "a row of the store cannot be read")
  }
}

extension SQLiteValue {
  /// One URL a line: a channel's URL has no white space.
  init(_ channels: [Channel]) { self = .text(channels.map(\.url).joined(separator: "\n")) }
}
