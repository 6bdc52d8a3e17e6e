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
  let limits: Resubmission.Limits

  /// What rows carry that the server names: `StateValues.naming`.
  private var naming = ""
  /// Whether the store's cursor moves with the answer. Where it does not, nothing would show later that a server which was
  /// restored has lost what it took by it: the next whole pull is to name that (`StateKey.unconfirmed`).
  private(set) var movesCursor = false
  /// The resubmission that is under way.
  private var resubmission: String?

  init(
    response: SyncResponse, batch: Batch, moment: Moment, options: StoreOptions
  ) {
    self.response = response
    self.batch = batch
    self.moment = moment
    random = options.random
    limits = Resubmission.Limits(step: options.resubmissionStep)
  }

  func apply(to connection: Connection) throws -> AppliedExchange {
    var values = try connection.stateValues()
    guard batch.isOf(values) else { throw LocalStoreError(.anotherAccount, "the account has changed since") }
    let isRestored = isRestored(values)
    if isRestored {
      try connection.forgetNames(IdentifierSource(moment: moment, random: random))
      values = try connection.stateValues()
    }
    var exchange = self
    exchange.naming = values.naming(inEpoch: response.epoch)
    exchange.movesCursor = !batch.isAlertKeyOnly && values[.cursor] == batch.cursor
    exchange.resubmission = values[.resubmission]
    return try exchange.take(connection, values, isRestored: isRestored)
  }

  private func take(_ connection: Connection, _ values: StateValues, isRestored: Bool) throws -> AppliedExchange {
    var applied = AppliedExchange(pushed: 0, pulled: 0, parked: 0, needsPullFromStart: false, hasMore: false)
    if !response.results.isEmpty { try connection.keepSequences() }
    let repeated = try takeResults(connection, &applied)
    if movesCursor {
      try takeChanges(connection, values, isRestored: isRestored, &applied)
    } else {
      if applied.pushed > 0 { try connection.setValue((values.integer(.unconfirmed) ?? 0) + 1, for: .unconfirmed) }
      // Changes that follow another cursor than the store's, which has moved or was emptied since, would leave a gap.
      applied.needsPullFromStart = !batch.isAlertKeyOnly
    }
    try settle(repeated, connection, &applied)
    try connection.clearFailures(of: batch.lane, values)
    for key in [StateKey.lastError, .lastErrorKind, .alertKeyRefused] where values[key] != nil {
      try connection.setValue(nil, for: key)
    }
    try connection.setValue(moment.wall.milliseconds, for: .lastSuccessAt)
    try connection.setValue(response.serverTime.milliseconds(since: moment.wall), for: .serverOffset)
    return applied
  }
}

// What became of the batch's items.
extension ExchangeApplier {
  /// Results for ids that were not in the batch are ignored. Gives what `settle` is to be told.
  private func takeResults(_ connection: Connection, _ applied: inout AppliedExchange) throws -> [Int] {
    var results: [String: ItemResult] = [:]
    results.reserveCapacity(response.results.count)
    for result in response.results { results[result.id] = result }
    if PlantedBug.resultsByPlace.isPlanted { results = resultsByPlace() }
    let repeated = try takeMutationResults(results, connection, &applied)
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
    return repeated
  }

  private func takeMutationResults(
    _ results: [String: ItemResult], _ connection: Connection, _ applied: inout AppliedExchange
  ) throws -> [Int] {
    let park = try connection.statement(
      """
      UPDATE pending_mutations SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
      WHERE sequence = ? AND id = ?
      """)
    // Where the mutations of contacts stand that the server took, and the last of each contact.
    var taken: [Int] = []
    var last: [EntityID: Int] = [:]
    var refused: [ContactID] = []
    for (index, mutation) in batch.mutations.enumerated() {
      guard let result = results[mutation.id.description] else { continue }
      let isRefused =
        result.status == .rejected || PlantedBug.duplicateIsRefused.isPlanted && result.status == .duplicate
      if isRefused && PlantedBug.poisonBlocksQueue.isPlanted { break }
      if isRefused, try takeRefusedCall(index, result, connection) {
        // It has its answer: what it became is due at once.
        applied.pushed += 1
        continue
      }
      if isRefused && !PlantedBug.refusedIsDeleted.isPlanted {
        try run(park, result, batch.mutationSequences[index], &applied)
        if mutation.kind == .removeContact { refused.append(ContactID(mutation.entityID)) }
        continue
      }
      switch mutation.kind {
      case .activateAlert, .deactivateAlert:
        try remove(index, connection, &applied)
        try noteAcceptance(of: mutation, result, connection)
      case .updateAlert:
        try remove(index, connection, &applied)
        try takeUp(mutation, result, connection)
      case .putContact, .removeContact:
        taken.append(index)
        last[mutation.entityID] = index
      }
    }
    var repeated: [Int] = []
    for index in taken {
      let mutation = batch.mutations[index]
      let isLast = last[mutation.entityID] == index
      if isLast, !movesCursor || results[mutation.id.description]?.status == .duplicate {
        repeated.append(index)
        continue
      }
      try remove(index, connection, &applied)
      if isLast { try setServerState(after: mutation, connection) }
    }
    for id in refused { try connection.relayContact(id) }
    return repeated
  }

  /// What of a call for help, or of its end, the server refuses, and what no person is to be asked about. Whether it was that.
  ///
  /// Something that was replaced in the queue meanwhile is answered by the answer to what replaced it.
  private func takeRefusedCall(_ index: Int, _ result: ItemResult, _ connection: Connection) throws -> Bool {
    let mutation = batch.mutations[index]
    let isNewerCall = mutation.kind == .deactivateAlert && result.code == ItemResult.newerCallForHelp
    guard mutation.kind == .updateAlert || isNewerCall else { return false }
    try connection.statement("DELETE FROM pending_mutations WHERE sequence = ? AND id = ?")
      .run(.integer(batch.mutationSequences[index]), SQLiteValue(mutation.id))
    guard connection.changedRows > 0 else { return true }
    if isNewerCall {
      try connection.takeBackEnd(of: AlertID(mutation.entityID), newest: result.newestUpdate)
    } else {
      try raiseAnew(mutation, result, connection)
    }
    return true
  }

  private func setServerState(
    after mutation: SyncRequestWriter.QueuedMutation, _ connection: Connection
  ) throws {
    try connection.setServerState(
      mutation.kind == .putContact ? mutation.body : nil, naming: naming, of: mutation.entityID)
  }

  private func remove(_ index: Int, _ connection: Connection, _ applied: inout AppliedExchange) throws {
    try connection.statement("DELETE FROM pending_mutations WHERE sequence = ? AND id = ?")
      .run(.integer(batch.mutationSequences[index]), SQLiteValue(batch.mutations[index].id))
    applied.pushed += 1
  }

  /// Takes contacts' changes out of the queue that the server had taken before, or by an answer that moved no cursor, at these
  /// places of the batch. Another device may have changed the contact since: only the changes tell what the server holds now,
  /// and only when all of them are here. Until then the mutation stays, and is sent again.
  private func settle(_ repeated: [Int], _ connection: Connection, _ applied: inout AppliedExchange) throws {
    guard !applied.hasMore, !applied.needsPullFromStart else { return applied.waiting = repeated.count }
    for index in repeated {
      let mutation = batch.mutations[index]
      try remove(index, connection, &applied)
      if try connection.wasEverNamed(ContactID(mutation.entityID)) {
        try connection.relayContact(ContactID(mutation.entityID))
      } else {
        try setServerState(after: mutation, connection)
      }
    }
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
      if let endedAt = result.endedAt {
        try connection.noteEnd(of: AlertID(mutation.entityID), endedAt, at: response.serverTime)
      }
      try connection.statement(
        """
        UPDATE alerts SET accepted_at = coalesce(accepted_at, ?), server_epoch = coalesce(?, server_epoch) WHERE id = ?
        """
      ).run(time, movesCursor ? .text(naming) : .null, SQLiteValue(mutation.entityID))
    } else if movesCursor {
      try connection.statement("UPDATE alerts SET end_accepted_at = coalesce(end_accepted_at, ?) WHERE id = ?")
        .run(time, SQLiteValue(mutation.entityID))
    }
    // What the server took during a resubmission is not queued again by it.
    guard let resubmission else { return }
    try connection.statement("UPDATE alerts SET resubmission = ? WHERE id = ?")
      .run(.text(resubmission), SQLiteValue(mutation.entityID))
  }
}

// What is new on the server.
extension ExchangeApplier {
  /// An answer of another epoch comes from a server that was restored. Only one that was asked from the start is taken
  /// in; the device pulls all of it, and then offers what the server did not name, step by step (`Resubmission`).
  ///
  /// After a whole pull it also offers what the server took by answers that moved no cursor, and does not name.
  private func takeChanges(
    _ connection: Connection, _ values: StateValues, isRestored: Bool, _ applied: inout AppliedExchange
  ) throws {
    if values[.epoch] != response.epoch { try connection.setValue(response.epoch, for: .epoch) }
    if isRestored { try connection.setValue("1", for: .restoring) }
    let newest = response.hasMore && !isRestored ? response.newestCursor : nil
    if values[.newestCursor] != newest { try connection.setValue(newest, for: .newestCursor) }
    if isRestored && batch.cursor != nil {
      try connection.setValue(nil, for: .cursor)
      applied.needsPullFromStart = true
      return
    }
    let isRestoring = isRestored || values[.restoring] != nil
    try ChangeApplier(
      connection: connection, naming: naming, isRestoring: isRestoring, isResubmitting: resubmission != nil,
      moment: moment, random: random
    ).apply(response.changes)
    applied.pulled = response.changes.count
    applied.hasMore = response.hasMore
    if values[.cursor] != response.cursor { try connection.setValue(response.cursor, for: .cursor) }
    guard isRestoring || values[.unconfirmed] != nil, !response.hasMore else { return }
    // What the server took since the batch was made is not in this answer: the next one shows it.
    guard values[.unconfirmed] == batch.unconfirmed else { return }
    for key in [StateKey.restoring, .unconfirmed] { try connection.setValue(nil, for: key) }
    if PlantedBug.notOfferedAgain.isPlanted { return }
    let identifiers = IdentifierSource(moment: moment, random: random)
    try connection.beginResubmission(identifiers)
    // A short history is queued as a whole by the transaction that learns that the server lacks it.
    var step = try Resubmission(connection, limits: limits, from: nil)
    try step?.perform(identifiers)
  }

  private func isRestored(_ values: StateValues) -> Bool {
    guard !batch.isAlertKeyOnly, let epoch = values[.epoch] else { return false }
    return values[.cursor] == batch.cursor && epoch != response.epoch
  }
}

extension Connection {
  /// Nothing counts as named until this answer or the pull from the start names it: a server that is restored twice from one
  /// backup comes back to an epoch in which it had named what it has lost since. That a row was named once stays known.
  ///
  /// It takes the same time however many rows there are: what they carry says nothing any more.
  fileprivate func forgetNames(_ identifiers: IdentifierSource) throws {
    try setValue((identifiers.next() as MutationID).description, for: .naming)
    try endResubmission()
  }
}

extension Batch {
  /// Whether it was made for the account that is signed in.
  func isOf(_ values: StateValues) -> Bool {
    accountID == values[.accountID].flatMap { AccountID($0) }
  }
}
