import Model
import SQLiteKit

extension LocalStore {
  /// A page of all alerts, newest first: those in the spool or in memory, those that the server has not stored, then the others in the
  /// server's order. Tests of one responder are not in it.
  ///
  /// `limit` is at least 1. The next page begins after `before`, whatever was added since.
  package func history(limit: Int, before: HistoryPosition?) throws(LocalStoreError) -> HistoryPage {
    let limit = max(1, limit)
    let waiting = waitingAlerts()
    let spooled = before == nil ? HistoryEntry.ofAlerts(waiting.alerts) : []
    return try file.read { reading in
      var entries: [HistoryEntry] = []
      entries.reserveCapacity(min(limit, 1000))
      entries += try spooled.filter { try !reading.hasPress($0.alert.id) }.prefix(limit)
      var last = entries.isEmpty ? nil : HistoryPosition(listOrder: .max)
      var next: HistoryPosition?
      try reading.forEachHistoryRow(limit: limit, before: before) { row in
        guard entries.count < limit else {
          next = last
          return .stop
        }
        var entry = try HistoryEntry(row: row)
        entry.alert = waiting.ends.applied(to: entry.alert)
        entries.append(entry)
        last = HistoryPosition(listOrder: try row["list_order"])
        return .goOn
      }
      return HistoryPage(entries: entries, next: next, accountID: try reading.stateValues().session?.accountID)
    }
  }
}

extension StoreReading {
  /// Reads one row more than `limit`, to know whether there is a next page.
  fileprivate func forEachHistoryRow(
    limit: Int, before: HistoryPosition?, body: (borrowing Row) throws -> Statement.RowLoop
  ) throws {
    guard let before else {
      return try forEachRow(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, discarded_at, list_order
        FROM alerts WHERE only_contact IS NULL ORDER BY list_order DESC LIMIT ?
        """, .integer(Int64(limit) + 1), body: body)
    }
    try forEachRow(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, discarded_at, list_order
      FROM alerts WHERE only_contact IS NULL AND list_order < ? ORDER BY list_order DESC LIMIT ?
      """, .integer(before.listOrder), .integer(Int64(limit) + 1), body: body)
  }
}

extension HistoryEntry {
  /// The columns of `Alert(row:)`, `accepted_at` and `discarded_at`.
  fileprivate init(row: borrowing Row) throws(SQLiteError) {
    let acceptedAt: Timestamp? = try row["accepted_at"]
    self.init(
      alert: try Alert(row: row), stage: acceptedAt == nil ? .saved : .accepted, acceptedAt: acceptedAt,
      isDiscarded: try !row.isNull("discarded_at"))
  }
}
