import Model
import PlantedBugs
import SQLiteKit
import Wire

// The further calls for help of an alert that wait to be sent: each with words of its own, so that no words are lost.

/// A call in the queue.
private struct WaitingCall {
  let sequence: Int64
  let id: MutationID
  let update: AlertUpdate
}

extension LocalStore {
  /// How many calls of one alert wait here at most: whoever goes on typing does not make the queue endless. As many fit into a few seconds of
  /// a slow line, and onto a responder's page. The server itself takes any number. Beyond it the texts of older ones are joined: at
  /// least half of `waitingCallLimit` full messages are kept.
  package static let waitingCallLimit = 10
}

extension StoreReading {
  /// Oldest first, without rows that cannot be read.
  fileprivate func waitingCalls(of id: AlertID) throws -> [WaitingCall] {
    try readableRows(
      """
      SELECT sequence, id, body FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' AND instr(body, ?) = 0 AND parked_at IS NULL ORDER BY sequence
      """, SQLiteValue(id), .text(MutationBody.noCall)
    ) { row in
      WaitingCall(
        sequence: try row["sequence"], id: try row["id"], update: try AlertUpdate(storedBody: try row["body"]))
    }
  }

  /// The calls that wait, oldest first.
  func waitingUpdates(of id: AlertID) throws -> [NewestUpdate] {
    try waitingCalls(of: id).map { NewestUpdate(id: $0.id, update: $0.update) }
  }
}

extension StoreTransaction {
  /// Removes the newest waiting calls that say nothing that `update` does not say, so that a press without words adds no row each time. Then
  /// joins calls until there is room for one more.
  ///
  /// Only the newest: an older one stays before the calls that came after it, and is accepted before them.
  func makeRoom(for update: AlertUpdate, of id: AlertID, _ identifiers: IdentifierSource) throws {
    var calls = try waitingCalls(of: id)
    guard !calls.isEmpty else { return }
    try keepSequences()
    while let last = calls.last, update.saysAll(of: last.update) || PlantedBug.wordsMergedAway.isPlanted {
      try remove(last)
      calls.removeLast()
    }
    while calls.count >= LocalStore.waitingCallLimit {
      // Where none fits, the oldest words are cut, and the mark for that is seen.
      let place = calls.indices.dropLast().first { calls[$0 + 1].update.joinsWhole(over: calls[$0].update) } ?? 0
      calls[place + 1] = try join(calls[place + 1], over: calls[place], as: identifiers.next())
      calls.remove(at: place)
    }
  }

  /// Makes one call of two, in the place of the newer. The server may have either: the new one has an id of its own.
  private func join(_ newer: WaitingCall, over older: WaitingCall, as id: MutationID) throws -> WaitingCall {
    let joined = WaitingCall(sequence: newer.sequence, id: id, update: newer.update.joined(over: older.update))
    try remove(older)
    try run(
      "UPDATE pending_mutations SET id = ?, body = ? WHERE sequence = ?", SQLiteValue(id),
      .text(MutationBody.text(of: .updateAlert(joined.update))), .integer(newer.sequence))
    try run("UPDATE presses SET mutation_id = ? WHERE mutation_id = ?", SQLiteValue(id), SQLiteValue(newer.id))
    return joined
  }

  private func remove(_ call: WaitingCall) throws {
    try run("DELETE FROM pending_mutations WHERE sequence = ?", .integer(call.sequence))
  }

  /// Takes the waiting calls out of the queue and gives them, oldest first, those that cannot be read without their words.
  func takeWaitingCalls(of id: AlertID) throws -> [SyncRequestWriter.QueuedMutation] {
    guard try hasPendingCall(of: id) else { return [] }
    let calls = try readableRows(
      """
      SELECT sequence, id, kind, entity_id, occurred_at, body FROM pending_mutations INDEXED BY pending_mutations_updates
      WHERE entity_id = ? AND kind = 'alert.update' AND instr(body, ?) = 0 AND parked_at IS NULL ORDER BY sequence
      """, SQLiteValue(id), .text(MutationBody.noCall)
    ) { row in
      (sequence: try row["sequence", as: Int64.self], call: try SyncRequestWriter.QueuedMutation(row: row))
    }
    try keepSequences()
    for call in calls { try run("DELETE FROM pending_mutations WHERE sequence = ?", .integer(call.sequence)) }
    return calls.map(\.call)
  }
}

extension AlertUpdate {
  /// Whether `joined` keeps the words of both whole.
  fileprivate func joinsWhole(over earlier: AlertUpdate) -> Bool {
    AlertMessage.joinsWhole(message, over: earlier.message)
  }
}
