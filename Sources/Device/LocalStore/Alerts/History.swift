import Model
import SQLiteKit

extension LocalStore {
  /// A page of all alerts: those in the spool or in memory, the active ones, those that the server has not stored, then the others in the
  /// server's order; in each group the newest first. Tests of one responder are not in it.
  ///
  /// `limit` is at least 1. The next page begins after `before`, whatever was added since. An alert that ends between two pages may come twice.
  package func history(limit: Int, before: HistoryPosition?) throws(LocalStoreError) -> HistoryPage {
    let limit = max(1, limit)
    let waiting = waitingAlerts()
    let spooled = before == nil ? HistoryEntry.ofAlerts(waiting.alerts) : []
    return try file.read { reading in
      var entries: [HistoryEntry] = []
      entries.reserveCapacity(min(limit, 1000))
      entries += try spooled.filter { try !reading.hasPress($0.alert.id) }.prefix(limit)
      var last = entries.isEmpty ? nil : HistoryPosition(isActive: true, listOrder: nil)
      var next: HistoryPosition?
      try reading.forEachHistoryRow(limit: limit, before: before) { row in
        guard entries.count < limit else {
          next = last
          return .stop
        }
        var entry = try HistoryEntry(row: row)
        entry.alert = waiting.ends.applied(to: entry.alert)
        entries.append(entry)
        last = HistoryPosition(
          isActive: try row.isNull("ended_at") && row.isNull("discarded_at"), listOrder: try row["list_order"])
        return .goOn
      }
      return HistoryPage(entries: entries, next: next, accountID: try reading.stateValues().session?.accountID)
    }
  }
}

extension StoreReading {
  /// Reads one row more than `limit`, to know whether there is a next page: the active alerts, then the others.
  fileprivate func forEachHistoryRow(
    limit: Int, before: HistoryPosition?, body: (borrowing Row) throws -> Statement.RowLoop
  ) throws {
    var left = limit + 1
    // One that is damaged may have the greatest number of all.
    let last = before?.listOrder.map { $0 == .min ? $0 : $0 - 1 } ?? .max
    if before?.isActive ?? true {
      try forEachRow(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, discarded_at, list_order
        FROM alerts INDEXED BY alerts_active
        WHERE ended_at IS NULL AND discarded_at IS NULL AND only_contact IS NULL AND list_order <= ? ORDER BY list_order DESC LIMIT ?
        """, .integer(last), .integer(Int64(left))
      ) { row in
        left -= 1
        return try body(row)
      }
    }
    guard left > 0 else { return }
    try forEachRow(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, discarded_at, list_order
      FROM alerts NOT INDEXED
      WHERE (ended_at IS NOT NULL OR discarded_at IS NOT NULL) AND only_contact IS NULL AND list_order <= ?
      ORDER BY list_order DESC LIMIT ?
      """, .integer(before?.isActive == false ? last : .max), .integer(Int64(left)), body: body)
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
