import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Takes in one answer, inside one write transaction.
struct ExchangeApplier {
  let response: SyncResponse
  let batch: Batch
  let moment: Moment
  let random: @Sendable () -> (UInt64, UInt64)

  func apply(to connection: Connection) throws -> AppliedExchange {
    let values = try connection.stateValues()
    guard batch.isOf(values) else { throw LocalStoreError(.anotherAccount, "the account has changed since") }
    var applied = AppliedExchange(pushed: 0, pulled: 0, parked: 0, needsPullFromStart: false, hasMore: false)
    if !response.results.isEmpty { try connection.keepSequences() }
    try takeResults(connection, &applied)
    if !batch.isAlertKeyOnly { try takeChanges(connection, values, &applied) }
    try connection.clearFailures(of: batch.lane, values)
    for key in [StateKey.lastError, .lastErrorKind] where values[key] != nil { try connection.setValue(nil, for: key) }
    try connection.setValue(moment.wall.milliseconds, for: .lastSuccessAt)
    try connection.setValue(response.serverTime.milliseconds(since: moment.wall), for: .serverOffset)
    return applied
  }
}

// What became of the batch's items.
extension ExchangeApplier {
  /// Results for ids that were not in the batch are ignored.
  private func takeResults(_ connection: Connection, _ applied: inout AppliedExchange) throws {
    var results: [String: ItemResult] = [:]
    results.reserveCapacity(response.results.count)
    for result in response.results { results[result.id] = result }
    if PlantedBug.resultsByPlace.isPlanted { results = resultsByPlace() }
    try takeMutationResults(results, connection, &applied)
    for (notification, sequence) in zip(batch.notifications, batch.notificationSequences) {
      guard let result = results[notification.id.description] else { continue }
      if result.status == .rejected {
        let park = try connection.statement(
          """
          UPDATE pending_notifications SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
          WHERE sequence = ? AND id = ?
          """)
        try run(park, result, sequence, &applied)
      } else {
        try connection.statement("DELETE FROM pending_notifications WHERE sequence = ? AND id = ?")
          .run(.integer(sequence), .text(result.id))
        applied.pushed += 1
      }
    }
  }

  private func takeMutationResults(
    _ results: [String: ItemResult], _ connection: Connection, _ applied: inout AppliedExchange
  ) throws {
    let delete = try connection.statement("DELETE FROM pending_mutations WHERE sequence = ? AND id = ?")
    let park = try connection.statement(
      """
      UPDATE pending_mutations SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
      WHERE sequence = ? AND id = ?
      """)
    // Where the last mutation of each contact stands: only that one says what the server holds now.
    var last: [EntityID: Int] = [:]
    var refused: [ContactID] = []
    for (index, mutation) in batch.mutations.enumerated() {
      guard let result = results[mutation.id.description] else { continue }
      let isRefused =
        result.status == .rejected || PlantedBug.duplicateIsRefused.isPlanted && result.status == .duplicate
      if isRefused && PlantedBug.poisonBlocksQueue.isPlanted { break }
      if isRefused && !PlantedBug.refusedIsDeleted.isPlanted {
        try run(park, result, batch.mutationSequences[index], &applied)
        if mutation.kind == .removeContact { refused.append(ContactID(mutation.entityID)) }
        continue
      }
      try delete.run(.integer(batch.mutationSequences[index]), .text(result.id))
      applied.pushed += 1
      switch mutation.kind {
      case .activateAlert, .deactivateAlert: try noteAcceptance(of: mutation, result, connection)
      case .putContact, .removeContact: last[mutation.entityID] = index
      }
    }
    for (index, mutation) in batch.mutations.enumerated() where last[mutation.entityID] == index {
      try connection.setServerState(
        mutation.kind == .putContact ? mutation.body : nil, epoch: response.epoch, of: mutation.entityID)
    }
    for id in refused { try connection.relayContact(id) }
  }

  private func run(
    _ park: Statement, _ result: ItemResult, _ sequence: Int64, _ applied: inout AppliedExchange
  ) throws {
    try park.run(
      SQLiteValue(moment.wall), .text(result.code ?? "rejected"),
      .text(result.message ?? "the server refused it"), .integer(sequence), .text(result.id))
    applied.parked += 1
  }

  private func noteAcceptance(
    of mutation: SyncRequestWriter.QueuedMutation, _ result: ItemResult, _ connection: Connection
  ) throws {
    let time = SQLiteValue(result.appliedAt ?? response.serverTime)
    if mutation.kind == .activateAlert {
      try connection.statement(
        "UPDATE alerts SET accepted_at = coalesce(accepted_at, ?), server_epoch = ? WHERE id = ?"
      ).run(time, .text(response.epoch), SQLiteValue(mutation.entityID))
    } else {
      try connection.statement("UPDATE alerts SET end_accepted_at = coalesce(end_accepted_at, ?) WHERE id = ?")
        .run(time, SQLiteValue(mutation.entityID))
    }
  }
}

// What is new on the server.
extension ExchangeApplier {
  /// An answer of another epoch comes from a server that was restored. Only one that was asked from the start is taken
  /// in; the device pulls all of it, and then offers what the server did not name.
  ///
  /// Changes that follow another cursor than the store's, which was emptied or salvaged since, would leave a gap: they
  /// are pulled again.
  private func takeChanges(_ connection: Connection, _ values: StateValues, _ applied: inout AppliedExchange) throws {
    guard values[.cursor] == batch.cursor else { return applied.needsPullFromStart = true }
    let isRestored = values[.epoch].map { $0 != response.epoch } ?? false
    if values[.epoch] != response.epoch { try connection.setValue(response.epoch, for: .epoch) }
    if isRestored { try connection.setValue("1", for: .restoring) }
    if isRestored && batch.cursor != nil {
      try connection.setValue(nil, for: .cursor)
      applied.needsPullFromStart = true
      return
    }
    let isRestoring = isRestored || values[.restoring] != nil
    try ChangeApplier(
      connection: connection, epoch: response.epoch, isRestoring: isRestoring, moment: moment, random: random
    ).apply(response.changes)
    applied.pulled = response.changes.count
    applied.hasMore = response.hasMore
    if values[.cursor] != response.cursor { try connection.setValue(response.cursor, for: .cursor) }
    guard isRestoring && !response.hasMore else { return }
    if !PlantedBug.notOfferedAgain.isPlanted {
      try connection.queueAgain(.notNamed(inEpoch: response.epoch), at: moment, random: random)
    }
    try connection.setValue(nil, for: .restoring)
  }
}

extension Batch {
  /// Whether it was made for the account that is signed in.
  func isOf(_ values: StateValues) -> Bool {
    accountID == values[.accountID].flatMap { AccountID($0) }
  }
}
