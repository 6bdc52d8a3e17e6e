import Model
import SQLiteKit
import ServerCore
import Wire

// How rows become alerts, contacts and deliveries.

extension Statement {
  /// The columns of `alerts` from `first` on, in the order of the table from `id` to `notified_at` without `device_id`
  /// and `utc_offset_minutes`.
  func alertRecord(from first: Int32) throws(SQLiteError) -> AlertRecord {
    let alert = Alert(
      id: try identifier(first), startedAt: timestamp(first + 2), endedAt: optionalTimestamp(first + 3),
      message: optionalText(first + 4), location: try location(first + 5), isDrill: boolean(first + 7))
    return AlertRecord(
      alert: alert, ordinal: integer(first + 1), receivedAt: timestamp(first + 8),
      endReceivedAt: optionalTimestamp(first + 9))
  }

  /// The columns of `alerts` from `update_id` on; nil where there was no update.
  func newestUpdate(from first: Int32) throws(SQLiteError) -> NewestUpdate? {
    guard !isNull(first) else { return nil }
    let update = AlertUpdate(
      at: timestamp(first + 1), message: optionalText(first + 2), location: try location(first + 3),
      accuracyMeters: optionalReal(first + 5), batteryPercent: optionalInteger(first + 6).map(Int.init))
    return NewestUpdate(id: try identifier(first), update: update)
  }

  private func location(_ column: Int32) throws(SQLiteError) -> Location? {
    guard let latitude = optionalReal(column), let longitude = optionalReal(column + 1) else { return nil }
    return try stored { () throws(InvalidInput) in try Location(latitude: latitude, longitude: longitude) }
  }

  /// `name`, `phone`, `is_responder`, `is_dependent`, `channels` from column `first` on.
  func contactDetails(from first: Int32) throws(SQLiteError) -> ContactDetails {
    let urls = text(first + 4).split(separator: "\n")
    return try stored { () throws(InvalidInput) in
      try ContactDetails(
        name: text(first), phone: text(first + 1), isResponder: boolean(first + 2), isDependent: boolean(first + 3),
        channels: urls.map { url throws(InvalidInput) in try Channel(received: String(url)) })
    }
  }

  func channel(_ column: Int32) throws(SQLiteError) -> Channel? {
    let url = text(column)
    if url.isEmpty { return nil }
    return try stored { () throws(InvalidInput) in try Channel(received: url) }
  }

  /// A value of an enumeration.
  func choice<Choice: RawRepresentable<String>>(_ column: Int32) throws(SQLiteError) -> Choice {
    guard let choice = Choice(rawValue: text(column)) else { throw .storedWrong }
    return choice
  }

  /// A value that was valid when it was stored.
  private func stored<Value>(_ make: () throws(InvalidInput) -> Value) throws(SQLiteError) -> Value {
    do {
      return try make()
    } catch {
      throw .storedWrong
    }
  }

  /// Runs with the values bound before, and gives what `row` makes of each row.
  func rows<Result>(_ row: () throws(SQLiteError) -> Result) throws(SQLiteError) -> [Result] {
    defer { reset() }
    var results: [Result] = []
    while try step() { results.append(try row()) }
    return results
  }
}

extension SQLiteError {
  /// `SQLITE_CORRUPT`: a row holds what was never stored.
  static let storedWrong = SQLiteError(extendedCode: 11, message: "a value in the table is not one")
}
