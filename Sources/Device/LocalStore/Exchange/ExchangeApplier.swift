import Model
import PlantedBugs
import SQLiteKit
import Wire

/// Applies one answer of the server, inside one write transaction.
struct ExchangeApplier {
  let response: SyncResponse
  let batch: Batch
  let moment: Moment
  let random: @Sendable () -> (UInt64, UInt64)
  let limits: Resubmission.Limits

  /// What `server_epoch` is set to in rows that the server names: `StateValues.naming`.
  private let naming: String
  /// Whether the store's cursor moves with the answer. If it does not, nothing would show later that a restored server has lost what it
  /// accepted with this answer: the next complete pull has to name that (`StateKey.unconfirmed`).
  let movesCursor: Bool
  /// The id of the current resubmission.
  private let resubmission: String?

  /// Applies the answer to `batch`. Throws `anotherAccount` if the batch is not of the account that is signed in.
  static func apply(
    _ response: SyncResponse, to batch: Batch, at moment: Moment, options: StoreOptions,
    in transaction: StoreTransaction
  ) throws -> AppliedExchange {
    var values = try transaction.stateValues()
    guard batch.isOf(values) else { throw LocalStoreError(.anotherAccount, "the account has changed since") }
    let isRestored = batch.isFromBeforeRestore(values, response)
    if isRestored {
      try transaction.forgetNames(IdentifierSource(moment: moment, random: options.random))
      values = try transaction.stateValues()
    }
    return try Self(response, to: batch, at: moment, options, values).apply(transaction, values, isRestored: isRestored)
  }

  private init(
    _ response: SyncResponse, to batch: Batch, at moment: Moment, _ options: StoreOptions, _ values: StateValues
  ) {
    self.response = response
    self.batch = batch
    self.moment = moment
    random = options.random
    limits = Resubmission.Limits(step: options.resubmissionStep)
    naming = values.naming(inEpoch: response.epoch)
    movesCursor = !batch.isAlertKeyOnly && values[.cursor] == batch.cursor
    resubmission = values[.resubmission]
  }

  private func apply(_ transaction: StoreTransaction, _ values: StateValues, isRestored: Bool) throws -> AppliedExchange
  {
    var applied = AppliedExchange(pushed: 0, pulled: 0, parked: 0, needsPullFromStart: false, hasMore: false)
    if !response.results.isEmpty { try transaction.keepSequences() }
    let repeated = try applyResults(transaction, &applied)
    if movesCursor {
      try applyChanges(transaction, values, isRestored: isRestored, &applied)
    } else {
      if applied.pushed > 0 { try transaction.setValue((values.integer(.unconfirmed) ?? 0) &+ 1, for: .unconfirmed) }
      // Changes after another cursor than the store's, which has moved or was cleared since, would leave a gap.
      applied.needsPullFromStart = !batch.isAlertKeyOnly
    }
    try settle(repeated, transaction, &applied)
    try transaction.endExpiredTests(IdentifierSource(moment: moment, random: random))
    try transaction.removeOldInbox(at: response.serverTime)
    try transaction.clearFailures(of: batch.lane, values)
    let channels = response.channels?.joined(separator: " ")
    if values[.serverChannels] != channels { try transaction.setValue(channels, for: .serverChannels) }
    for key in [StateKey.lastError, .lastErrorKind, .alertKeyRefused] where values[key] != nil {
      try transaction.setValue(nil, for: key)
    }
    try transaction.setValue(moment.wall.milliseconds, for: .lastSuccessAt)
    try transaction.setValue(response.serverTime.milliseconds(since: moment.wall), for: .serverOffset)
    return applied
  }
}

// The results of the batch's items.
extension ExchangeApplier {
  /// Ignores results for ids that are not in the batch. Gives what `settle` needs.
  private func applyResults(_ transaction: StoreTransaction, _ applied: inout AppliedExchange) throws -> [Int] {
    var results: [String: ItemResult] = [:]
    results.reserveCapacity(response.results.count)
    for result in response.results { results[result.id] = result }
    if PlantedBug.resultsByPlace.isPlanted { results = resultsByPlace() }
    let repeated = try applyMutationResults(results, transaction, &applied)
    for (notification, sequence) in zip(batch.notifications, batch.notificationSequences) {
      guard let result = results[notification.id.description] else { continue }
      if result.status == .rejected {
        try transaction.run(
          """
          UPDATE pending_notifications SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
          WHERE sequence = ? AND id = ?
          """, SQLiteValue(moment.wall), .text(result.parkedCode), .text(result.parkedMessage), .integer(sequence),
          .text(result.id))
        applied.parked += 1
      } else {
        try transaction.run(
          "DELETE FROM pending_notifications WHERE sequence = ? AND id = ?", .integer(sequence), .text(result.id))
        applied.pushed += 1
      }
    }
    return repeated
  }

  private func applyMutationResults(
    _ results: [String: ItemResult], _ transaction: StoreTransaction, _ applied: inout AppliedExchange
  ) throws -> [Int] {
    var accepted = AcceptedRoutine()
    var refused: [ContactID] = []
    for (index, mutation) in batch.mutations.enumerated() {
      guard let result = results[mutation.id.description] else { continue }
      let isRefused =
        result.status == .rejected || PlantedBug.duplicateIsRefused.isPlanted && result.status == .duplicate
      if isRefused && PlantedBug.poisonBlocksQueue.isPlanted { break }
      if isRefused, try applyRefusedCall(index, result, transaction) {
        // It is done: what it became is due at once.
        applied.pushed += 1
        continue
      }
      if isRefused, try applyRefusedInbox(index, result, transaction) {
        applied.pushed += 1
        continue
      }
      if isRefused && !PlantedBug.refusedIsDeleted.isPlanted {
        try park(index, result, transaction, &applied)
        if mutation.kind == .removeContact { refused.append(ContactID(mutation.entityID)) }
        continue
      }
      switch mutation.kind {
      case .activateAlert, .deactivateAlert:
        try remove(index, transaction, &applied)
        try noteAcceptance(of: mutation, result, transaction)
      case .updateAlert:
        try remove(index, transaction, &applied)
        try acceptUpdate(mutation, result, transaction)
      case .putContact, .removeContact, .putProfile:
        accepted.items.append((index, result.status == .duplicate))
        accepted.last[mutation.entityID] = index
      case .seeInbox: try remove(index, transaction, &applied)
      case .answerInbox:
        try remove(index, transaction, &applied)
        try acceptAnswer(mutation, result, transaction)
      }
    }
    let repeated = try remove(accepted, transaction, &applied)
    for id in refused { try transaction.rebuildContact(id) }
    return repeated
  }

  /// The routine mutations that the server accepted, by their place in the batch.
  private struct AcceptedRoutine {
    var items: [(index: Int, isDuplicate: Bool)] = []
    /// The last of each contact, and of the profile.
    var last: [EntityID: Int] = [:]
  }

  /// Removes what the server shows as this device sent it; gives the rest, for `settle`.
  private func remove(
    _ accepted: AcceptedRoutine, _ transaction: StoreTransaction, _ applied: inout AppliedExchange
  ) throws -> [Int] {
    var repeated: [Int] = []
    for (index, isDuplicate) in accepted.items {
      let mutation = batch.mutations[index]
      let isLast = accepted.last[mutation.entityID] == index
      if isLast, !movesCursor || isDuplicate {
        repeated.append(index)
        continue
      }
      try remove(index, transaction, &applied)
      if isLast { try setServerState(after: mutation, transaction) }
    }
    return repeated
  }

  /// Handles a rejected update, and an end that was rejected because of a newer call for help: neither is parked for a person. False if
  /// the item is neither.
  ///
  /// An item that was replaced in the queue meanwhile gets its answer with the one that replaced it.
  private func applyRefusedCall(_ index: Int, _ result: ItemResult, _ transaction: StoreTransaction) throws -> Bool {
    let (mutation, sequence) = (batch.mutations[index], batch.mutationSequences[index])
    let isNewerCall = mutation.kind == .deactivateAlert && result.code == ItemResult.newerCallForHelp
    guard mutation.kind == .updateAlert || isNewerCall else { return false }
    try transaction.run(
      "DELETE FROM pending_mutations WHERE sequence = ? AND id = ?", .integer(sequence), SQLiteValue(mutation.id))
    guard transaction.changedRows > 0 else { return true }
    if isNewerCall {
      try transaction.takeBackEnd(of: AlertID(mutation.entityID), newest: result.newestUpdate)
    } else {
      try takeRefusal(of: mutation, at: sequence, result, transaction)
    }
    return true
  }

  private func setServerState(
    after mutation: SyncRequestWriter.QueuedMutation, _ transaction: StoreTransaction
  ) throws {
    guard mutation.kind != .putProfile else { return try transaction.setServerProfile(mutation.body, naming: naming) }
    try transaction.setServerState(
      mutation.kind == .putContact ? mutation.body : nil, naming: naming, of: mutation.entityID)
  }

  private func remove(_ index: Int, _ transaction: StoreTransaction, _ applied: inout AppliedExchange) throws {
    try transaction.run(
      "DELETE FROM pending_mutations WHERE sequence = ? AND id = ?", .integer(batch.mutationSequences[index]),
      SQLiteValue(batch.mutations[index].id))
    applied.pushed += 1
  }

  /// Removes the mutations of contacts and of the profile at these places of the batch, which the server had accepted before, or with an answer that moved no
  /// cursor. Another device may have changed the same since: only the changes show what the server has now, and only once all of them
  /// are here. Until then the mutation stays, and is sent again.
  private func settle(_ repeated: [Int], _ transaction: StoreTransaction, _ applied: inout AppliedExchange) throws {
    guard !applied.hasMore, !applied.needsPullFromStart else { return applied.waiting = repeated.count }
    for index in repeated {
      let mutation = batch.mutations[index]
      try remove(index, transaction, &applied)
      if mutation.kind == .putProfile {
        if try transaction.value(of: .profileNaming) == nil { try setServerState(after: mutation, transaction) }
      } else if try transaction.wasEverNamed(ContactID(mutation.entityID)) {
        try transaction.rebuildContact(ContactID(mutation.entityID))
      } else {
        try setServerState(after: mutation, transaction)
      }
    }
  }

  private func park(
    _ index: Int, _ result: ItemResult, _ transaction: StoreTransaction, _ applied: inout AppliedExchange
  ) throws {
    try transaction.run(
      """
      UPDATE pending_mutations SET parked_at = ?, parked_code = ?, parked_message = ?, next_attempt_at = 0
      WHERE sequence = ? AND id = ?
      """, SQLiteValue(moment.wall), .text(result.parkedCode), .text(result.parkedMessage),
      .integer(batch.mutationSequences[index]), .text(result.id))
    applied.parked += 1
  }

  private func noteAcceptance(
    of mutation: SyncRequestWriter.QueuedMutation, _ result: ItemResult, _ transaction: StoreTransaction
  ) throws {
    let time = SQLiteValue(result.appliedAt ?? response.serverTime)
    if mutation.kind == .activateAlert {
      if let endedAt = result.endedAt {
        try transaction.holdEnd(of: AlertID(mutation.entityID), endedAt, at: response.serverTime)
      }
      try transaction.run(
        """
        UPDATE alerts SET accepted_at = coalesce(accepted_at, ?), server_epoch = coalesce(?, server_epoch) WHERE id = ?
        """, time, movesCursor ? .text(naming) : .null, SQLiteValue(mutation.entityID))
      try transaction.acceptPresses(mergedInto: AlertID(mutation.entityID), at: time)
    } else if movesCursor {
      try transaction.run(
        "UPDATE alerts SET end_accepted_at = coalesce(end_accepted_at, ?) WHERE id = ?", time,
        SQLiteValue(mutation.entityID))
    }
    // A resubmission does not queue again what the server accepts during it.
    guard let resubmission else { return }
    try transaction.run(
      "UPDATE alerts SET resubmission = ? WHERE id = ?", .text(resubmission), SQLiteValue(mutation.entityID))
  }
}

// The server's changes.
extension ExchangeApplier {
  /// Applies the changes. An answer of another epoch comes from a restored server, and is applied only if the pull began at the start; the
  /// device pulls everything, and then queues again what the server did not name, step by step (`Resubmission`).
  ///
  /// After a complete pull the device also queues again what the server accepted with answers that moved no cursor, and does not name.
  private func applyChanges(
    _ transaction: StoreTransaction, _ values: StateValues, isRestored: Bool, _ applied: inout AppliedExchange
  ) throws {
    if values[.epoch] != response.epoch { try transaction.setValue(response.epoch, for: .epoch) }
    if isRestored { try transaction.setValue("1", for: .restoring) }
    let newest = response.hasMore && !isRestored ? response.newestCursor : nil
    if values[.newestCursor] != newest { try transaction.setValue(newest, for: .newestCursor) }
    if isRestored && batch.cursor != nil {
      try transaction.setValue(nil, for: .cursor)
      applied.needsPullFromStart = true
      return
    }
    let isRestoring = isRestored || values[.restoring] != nil
    try ChangeApplier(
      transaction: transaction, accountID: values[.accountID], naming: naming, isRestoring: isRestoring,
      isResubmitting: resubmission != nil,
      newestSequence: batch.newestSequence, moment: moment, random: random
    ).apply(response.changes)
    applied.pulled = response.changes.count
    applied.hasMore = response.hasMore
    if values[.cursor] != response.cursor { try transaction.setValue(response.cursor, for: .cursor) }
    guard isRestoring || values[.unconfirmed] != nil, !response.hasMore else { return }
    // This answer does not contain what the server accepted since the batch was made: the next one does.
    guard values[.unconfirmed] == batch.unconfirmed else { return }
    for key in [StateKey.restoring, .unconfirmed] { try transaction.setValue(nil, for: key) }
    if isRestoring { try transaction.removeUnnamedInbox(naming: naming) }
    if PlantedBug.notOfferedAgain.isPlanted { return }
    let identifiers = IdentifierSource(moment: moment, random: random)
    try transaction.beginResubmission(identifiers)
    // A short history is queued completely by this transaction.
    var step = try Resubmission(transaction, limits: limits, from: nil)
    try step?.perform(transaction, identifiers)
  }
}

extension StoreTransaction {
  /// Makes nothing count as named until this answer or the pull from the start names it: a server that is restored twice from one backup
  /// returns to an epoch in which it had named what it has lost since. That a row was ever named stays known.
  ///
  /// Takes constant time: the rows keep their values, which match no naming any more.
  fileprivate func forgetNames(_ identifiers: IdentifierSource) throws {
    try setValue((identifiers.next() as MutationID).description, for: .naming)
    try endResubmission()
  }
}

extension ItemResult {
  fileprivate var parkedCode: String { code ?? "rejected" }
  fileprivate var parkedMessage: String { message ?? "the server refused it" }
}

extension Batch {
  /// Whether the batch was made for the account that is signed in.
  func isOf(_ values: StateValues) -> Bool {
    accountID == values[.accountID].flatMap { AccountID($0) }
  }

  /// Whether the answer comes from another epoch than the store's, so from a server that was restored since.
  fileprivate func isFromBeforeRestore(_ values: StateValues, _ response: SyncResponse) -> Bool {
    guard !isAlertKeyOnly, let epoch = values[.epoch] else { return false }
    return values[.cursor] == cursor && epoch != response.epoch
  }
}
