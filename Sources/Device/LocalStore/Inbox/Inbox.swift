package import Model
import SQLiteKit
import Wire

extension LocalStore {
  /// Active alerts first, then ended ones; newest first in each.
  package func inbox(limit: Int = 100) throws(LocalStoreError) -> [InboxEntry] {
    try file.read { try $0.inbox(limit: limit) }
  }

  /// One alert of the inbox; nil if it is not there.
  package func inboxEntry(_ id: InboxID) throws(LocalStoreError) -> InboxEntry? {
    try file.read { try $0.inboxEntry(id) }
  }

  /// Saves an answer, queues it, and gives the alert with it. Throws `notFound`, and `alertEnded` if the alert has ended as far as this
  /// device knows.
  ///
  /// Each answer is sent, in order: an earlier one may have reached the server already.
  @discardableResult
  package func answer(
    _ id: InboxID, _ answer: InboxAnswer, at moment: Moment
  ) throws(LocalStoreError) -> InboxEntry {
    let mutation = Mutation(
      id: identifiers(at: moment).next(), entityID: EntityID(id), occurredAt: moment.wall, change: .answerInbox(answer))
    return try writeAndPoke { transaction in
      var entry = try transaction.requireInboxEntry(id)
      guard entry.alert.isActive else { throw LocalStoreError(.alertEnded, "this alert has ended") }
      try transaction.enqueue(mutation, at: moment)
      try transaction.setRefusal(nil, of: id)
      entry.waiting = answer
      entry.refusal = nil
      return entry
    }
  }

  /// Records, and queues, that the person opened the alert on this device. Does nothing the second time, and for an alert that has
  /// ended. Throws `notFound`.
  package func noteSeen(_ id: InboxID, at moment: Moment) throws(LocalStoreError) {
    let mutation = Mutation(
      id: identifiers(at: moment).next(), entityID: EntityID(id), occurredAt: moment.wall, change: .seeInbox)
    guard try file.read({ try $0.isUnseen($0.requireInboxEntry(id)) }) else { return }
    try writeAndPoke { transaction in
      guard try transaction.isUnseen(transaction.requireInboxEntry(id)) else { return }
      try transaction.run("UPDATE inbox SET seen_at = ? WHERE id = ?", SQLiteValue(moment.wall), SQLiteValue(id))
      try transaction.enqueue(mutation, at: moment)
    }
  }
}

extension StoreReading {
  func inbox(limit: Int) throws -> [InboxEntry] {
    try rows(
      """
      SELECT record, refusal, (
        SELECT body FROM pending_mutations
        WHERE entity_id = inbox.id AND kind = 'inbox.answer' AND parked_at IS NULL ORDER BY sequence DESC LIMIT 1
      ) AS waiting
      FROM inbox ORDER BY ended_at IS NOT NULL, started_at DESC, id DESC LIMIT ?
      """, .integer(Int64(limit)), row: InboxEntry.init(row:))
  }

  /// Counted by indexes alone: an active alert has no entry in the one by end, and rows are long.
  func hasActiveInboxAlert() throws -> Bool {
    try hasRow(
      """
      SELECT 1 WHERE (SELECT count(*) FROM inbox INDEXED BY inbox_named)
        > (SELECT count(*) FROM inbox INDEXED BY inbox_by_end WHERE ended_at IS NOT NULL)
      """)
  }

  fileprivate func isUnseen(_ entry: InboxEntry) throws -> Bool {
    guard entry.alert.isActive else { return false }
    return try hasRow("SELECT 1 FROM inbox WHERE id = ? AND seen_at IS NULL", SQLiteValue(entry.id))
  }

  fileprivate func requireInboxEntry(_ id: InboxID) throws -> InboxEntry {
    guard let entry = try inboxEntry(id) else {
      throw LocalStoreError(.notFound, "there is no alert with this id in the inbox")
    }
    return entry
  }

  func inboxEntry(_ id: InboxID) throws -> InboxEntry? {
    try row(
      """
      SELECT record, refusal, (
        SELECT body FROM pending_mutations
        WHERE entity_id = inbox.id AND kind = 'inbox.answer' AND parked_at IS NULL ORDER BY sequence DESC LIMIT 1
      ) AS waiting
      FROM inbox WHERE id = ?
      """, SQLiteValue(id), row: InboxEntry.init(row:))
  }
}

extension InboxEntry {
  /// The columns `record`, `refusal` and `waiting`. An answer that cannot be read counts as none: it is parked when it is sent.
  init(row: borrowing Row) throws(SQLiteError) {
    let waiting: String? = try row["waiting"]
    self.init(
      alert: try InboxAlert(storedRecord: row["record"]), waiting: waiting.flatMap { try? InboxAnswer(storedBody: $0) },
      refusal: try row["refusal"])
  }
}
