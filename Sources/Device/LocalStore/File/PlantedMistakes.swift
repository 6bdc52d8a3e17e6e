import Model
import SQLiteKit
import Wire

// The planted bugs that take more than a line. Nothing else calls these functions, so a release does not have them.

extension StoreTransaction {
  /// Commits what was done so far by itself.
  func beginAnotherTransaction() throws {
    try run("COMMIT")
    try run("BEGIN IMMEDIATE")
  }

  func insertRow(_ raised: RaisedAlert, apart: Bool) throws {
    try insertRow(raised)
    if apart { try beginAnotherTransaction() }
  }

  func dropAfterAttempts(_ limit: Int64) throws {
    try keepSequences()
    try run("DELETE FROM pending_mutations WHERE attempts >= ?", .integer(limit))
    try run("DELETE FROM pending_notifications WHERE attempts >= ?", .integer(limit))
  }

  /// Gives the items that are to be retried new ids.
  func renew(_ batch: Batch, _ identifiers: IdentifierSource) throws {
    for (mutation, sequence) in zip(batch.mutations, batch.mutationSequences) {
      try run(
        "UPDATE pending_mutations SET id = ? WHERE sequence = ? AND id = ?",
        SQLiteValue(identifiers.next() as MutationID), .integer(sequence), SQLiteValue(mutation.id))
    }
  }

  /// Overwrites the end of an alert with the server's, even where the server has none.
  func setEnd(of alert: Alert) throws {
    try run("UPDATE alerts SET ended_at = ? WHERE id = ?", SQLiteValue(alert.endedAt), SQLiteValue(alert.id))
  }
}

extension ExchangeApplier {
  /// As if the server answered for every item, in the order in which they were sent.
  func resultsByPlace() -> [String: ItemResult] {
    let ids = batch.mutations.map(\.id.description) + batch.notifications.map(\.id.description)
    var results: [String: ItemResult] = [:]
    for (id, result) in zip(ids, response.results) {
      results[id] = result
      results[id]?.id = id
    }
    return results
  }
}

extension ChangeApplier {
  /// By the server's time of the change and the device's time of the success.
  func isOlderThanLastSuccess(_ change: Change) throws -> Bool {
    let success = try transaction.value(of: .lastSuccessAt).flatMap { Int64($0) } ?? .min
    switch change {
    case .alert(let record): return (record.endReceivedAt ?? record.receivedAt).milliseconds < success
    case .receipt(let receipt): return receipt.at.milliseconds < success
    case .contact, .profile, .inbox: return false
    }
  }
}

extension LocalStore {
  /// Moves the cursor past the answer's changes before they are stored; gives the batch as if it had been made then.
  func movingCursor(_ response: SyncResponse, _ batch: Batch) throws(LocalStoreError) -> Batch {
    var batch = batch
    let isMoved = try file.write { transaction in
      let values = try transaction.stateValues()
      guard batch.isOf(values), !batch.isAlertKeyOnly, values[.cursor] == batch.cursor, values[.epoch] == response.epoch
      else { return false }
      try transaction.setValue(response.cursor, for: .cursor)
      return true
    }
    if isMoved { batch.cursor = response.cursor }
    return batch
  }
}
