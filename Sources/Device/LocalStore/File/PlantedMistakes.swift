import Model
import SQLiteKit
import Wire

// What the planted bugs do where it takes more than a line. Nothing else calls these functions, so a release does not have them.

extension Connection {
  /// What was done so far is committed by itself.
  func beginAnotherTransaction() throws {
    try statement("COMMIT").run()
    try statement("BEGIN IMMEDIATE").run()
  }

  func insertRow(_ raised: RaisedAlert, apart: Bool) throws {
    try insertRow(raised)
    if apart { try beginAnotherTransaction() }
  }

  func dropAfterAttempts(_ limit: Int64) throws {
    try keepSequences()
    try statement("DELETE FROM pending_mutations WHERE attempts >= ?").run(.integer(limit))
    try statement("DELETE FROM pending_notifications WHERE attempts >= ?").run(.integer(limit))
  }

  /// Gives what is to be tried again new ids.
  func renew(_ batch: Batch, _ identifiers: IdentifierSource) throws {
    for (mutation, sequence) in zip(batch.mutations, batch.mutationSequences) {
      try statement("UPDATE pending_mutations SET id = ? WHERE sequence = ? AND id = ?")
        .run(SQLiteValue(identifiers.next() as MutationID), .integer(sequence), SQLiteValue(mutation.id))
    }
  }

  /// Takes the server's word for the end of an alert, also that there is none.
  func setEnd(of alert: Alert) throws {
    try statement("UPDATE alerts SET ended_at = ? WHERE id = ?").run(SQLiteValue(alert.endedAt), SQLiteValue(alert.id))
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
    let success = try connection.value(of: .lastSuccessAt).flatMap { Int64($0) } ?? .min
    switch change {
    case .alert(let record): return (record.endReceivedAt ?? record.receivedAt).milliseconds < success
    case .receipt(let receipt): return receipt.at.milliseconds < success
    case .contact: return false
    }
  }
}

extension LocalStore {
  /// Moves the cursor behind the answer's changes, which are not stored yet, and gives the batch as if it had been made then.
  func movingCursor(_ response: SyncResponse, _ batch: Batch) throws(LocalStoreError) -> Batch {
    var batch = batch
    let isMoved = try file.write { connection in
      let values = try connection.stateValues()
      guard batch.isOf(values), !batch.isAlertKeyOnly, values[.cursor] == batch.cursor, values[.epoch] == response.epoch
      else { return false }
      try connection.setValue(response.cursor, for: .cursor)
      return true
    }
    if isMoved { batch.cursor = response.cursor }
    return batch
  }
}
