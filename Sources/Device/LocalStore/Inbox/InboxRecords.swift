import Model
import SQLiteKit
import Wire

// What the server says of the inbox.

extension ChangeApplier {
  /// Stores the alert as the server has it, or removes it. What was given on this device stays: whether it was seen, and a refusal.
  func apply(_ id: InboxID, _ alert: InboxAlert?) throws {
    guard let alert else { return try transaction.run("DELETE FROM inbox WHERE id = ?", SQLiteValue(id)) }
    let lost = try lostAnswer(to: alert)
    try transaction.run(
      """
      INSERT INTO inbox (id, account_id, started_at, ended_at, record, server_epoch)
      VALUES (?, (SELECT value FROM sync_state WHERE key = 'account_id'), ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE SET started_at = excluded.started_at, ended_at = excluded.ended_at,
        record = excluded.record, server_epoch = excluded.server_epoch
      """,
      SQLiteValue(id), SQLiteValue(alert.startedAt), SQLiteValue(alert.endedAt), .text(alert.text), .text(naming))
    if let lost { try answerAgain(id, lost) }
  }

  /// The answer that the server had taken and has lost since it was restored, unless a newer one waits here.
  private func lostAnswer(to alert: InboxAlert) throws -> InboxAlert.Response? {
    guard isRestoring, alert.isActive, alert.response == nil, let known = try transaction.inboxEntry(alert.id),
      known.waiting == nil
    else { return nil }
    return known.alert.response
  }

  /// With the time at which they gave it, by this device's clock: nobody has pressed again.
  private func answerAgain(_ id: InboxID, _ response: InboxAlert.Response) throws {
    let identifiers = IdentifierSource(moment: moment, random: random)
    let offset = try transaction.stateValues().integer(.serverOffset) ?? 0
    let mutation = Mutation(
      id: identifiers.next(), entityID: EntityID(id), occurredAt: response.at.advanced(byMilliseconds: -offset),
      change: .answerInbox(response.answer))
    try transaction.enqueue(mutation, at: moment)
  }
}

extension ExchangeApplier {
  /// Handles a rejected item of the inbox; false if it is no such item. It is not parked: the person can do nothing about it, except give
  /// another answer while the alert is active. The alert keeps why the newest answer was refused.
  func applyRefusedInbox(_ index: Int, _ result: ItemResult, _ transaction: StoreTransaction) throws -> Bool {
    let mutation = batch.mutations[index]
    guard mutation.kind == .seeInbox || mutation.kind == .answerInbox else { return false }
    try transaction.run(
      "DELETE FROM pending_mutations WHERE sequence = ? AND id = ?", .integer(batch.mutationSequences[index]),
      SQLiteValue(mutation.id))
    guard mutation.kind == .answerInbox, try !transaction.hasWaitingAnswer(to: InboxID(mutation.entityID)) else {
      return true
    }
    try transaction.setRefusal(result.inboxRefusal, of: InboxID(mutation.entityID))
    return true
  }

  /// Shows the answer as the server's, until the server names the alert with it. A repeated one may be older than what the server has
  /// now, and counts only if nothing is known of that.
  func acceptAnswer(
    _ mutation: SyncRequestWriter.QueuedMutation, _ result: ItemResult, _ transaction: StoreTransaction
  ) throws {
    let id = InboxID(mutation.entityID)
    guard var alert = try transaction.inboxEntry(id)?.alert,
      result.status != .duplicate || alert.response == nil, let answer = try? InboxAnswer(storedBody: mutation.body)
    else { return }
    alert.response = InboxAlert.Response(answer, at: result.appliedAt ?? response.serverTime)
    alert.isAskedToConfirm = false
    try transaction.run(
      "UPDATE inbox SET record = ?, refusal = NULL WHERE id = ?", .text(alert.text), SQLiteValue(id))
  }
}

extension StoreReading {
  fileprivate func hasWaitingAnswer(to id: InboxID) throws -> Bool {
    try hasRow(
      "SELECT 1 FROM pending_mutations WHERE entity_id = ? AND kind = 'inbox.answer' AND parked_at IS NULL LIMIT 1",
      SQLiteValue(id))
  }
}

extension StoreTransaction {
  /// Sets why the server refused the newest answer; nil where it did not.
  func setRefusal(_ reason: String?, of id: InboxID) throws {
    try run("UPDATE inbox SET refusal = ? WHERE id = ?", SQLiteValue(reason), SQLiteValue(id))
  }

  /// Removes the alerts that ended long ago: the server removes them too, and tells nobody. `now`: by the server's clock.
  func removeOldInbox(at now: Timestamp) throws {
    let oldest = now.advanced(byMilliseconds: -InboxAlert.retentionMilliseconds)
    try run("DELETE FROM inbox WHERE ended_at IS NOT NULL AND ended_at < ?", SQLiteValue(oldest))
  }

  /// Removes the alerts that a restored server did not name in a complete pull.
  func removeUnnamedInbox(naming: String) throws {
    // In two ranges, which the index finds.
    try run("DELETE FROM inbox WHERE server_epoch < ?1 OR server_epoch > ?1", .text(naming))
  }
}

extension ItemResult {
  /// As a part of a sentence.
  fileprivate var inboxRefusal: String {
    switch code {
    case Self.alertEnded: "the alert had ended before the answer arrived"
    case Self.unknownAlert: "the server no longer has this alert"
    default: message ?? "the server refused it"
    }
  }
}
