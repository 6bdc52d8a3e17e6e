import Model
import SQLiteKit

extension LocalStore {
  /// A page of all alerts, newest first: those that lie in the spool or in memory, those that the server has not stored, then the others
  /// in the server's order.
  ///
  /// `limit` is at least 1. The next page begins behind `before`, whatever was added since.
  package func history(limit: Int, before: HistoryPosition?) throws(LocalStoreError) -> HistoryPage {
    let limit = max(1, limit)
    let waiting = waitingAlerts()
    let spooled = before == nil ? HistoryEntry.ofAlerts(waiting.alerts) : []
    return try file.read { connection in
      var entries = Array(try spooled.filter { try !connection.hasPress($0.alert.id) }.prefix(limit))
      entries.reserveCapacity(min(limit, 1000))
      var last = entries.isEmpty ? nil : HistoryPosition(listOrder: .max)
      let statement = try connection.historyStatement(limit: limit, before: before)
      while try statement.step() {
        guard entries.count < limit else {
          statement.reset()
          return HistoryPage(entries: entries, next: last)
        }
        var entry = try statement.historyEntry()
        entry.alert = waiting.ends.applied(to: entry.alert)
        entries.append(entry)
        last = HistoryPosition(listOrder: statement.integer(9))
      }
      return HistoryPage(entries: entries, next: nil)
    }
  }
}

extension Connection {
  /// One row more than `limit`, to know whether there is a next page.
  fileprivate func historyStatement(limit: Int, before: HistoryPosition?) throws -> Statement {
    guard let before else {
      let statement = try statement(
        """
        SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, discarded_at, list_order
        FROM alerts ORDER BY list_order DESC LIMIT ?
        """)
      try statement.bind(.integer(Int64(limit) + 1))
      return statement
    }
    let statement = try statement(
      """
      SELECT id, started_at, ended_at, message, latitude, longitude, drill, accepted_at, discarded_at, list_order
      FROM alerts WHERE list_order < ? ORDER BY list_order DESC LIMIT ?
      """)
    try statement.bind(.integer(before.listOrder), .integer(Int64(limit) + 1))
    return statement
  }
}

extension Statement {
  fileprivate func historyEntry() throws -> HistoryEntry {
    let acceptedAt = optionalTime(7)
    return HistoryEntry(
      alert: try alert(), stage: acceptedAt == nil ? .saved : .accepted, acceptedAt: acceptedAt,
      isDiscarded: !isNull(8)
    )
  }
}
