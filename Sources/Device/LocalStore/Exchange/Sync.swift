package import Model
import PlantedBugs
import SQLiteKit
package import SystemKit
package import Wire

extension LocalStore {
  /// Everything that the planner needs to know, as of one moment.
  package func syncState() throws(LocalStoreError) -> SyncState {
    try file.read { reading in
      let values = try reading.stateValues()
      let counts = try reading.boundedQueueCounts()
      guard let deviceID = values[.deviceID].flatMap({ DeviceID($0) }) else {
        throw SQLiteError.unreadableValue(of: "device_id")
      }
      return SyncState(
        deviceID: deviceID,
        cursor: values[.cursor],
        epoch: values[.epoch],
        session: values.session,
        emergency: try reading.laneState(.emergency, values, counts),
        routine: try reading.laneState(.routine, values, counts),
        hasActiveAlert: try reading.hasActiveAlert(),
        hasActiveInboxAlert: try reading.hasActiveInboxAlert(),
        serverOffsetMilliseconds: values.integer(.serverOffset),
        parked: counts.parked,
        lastSuccessAt: values.timestamp(.lastSuccessAt)
      )
    }
  }

  /// The next rows to send, without the parked ones and those that they hold back: oldest first, except for alerts that were over before
  /// the server had them, which follow the others.
  ///
  /// The emergency lane's batch has nothing of the routine lane, which would delay the alert. A responder who was added before the alert,
  /// and is not known to the server, is notified when the contact arrives.
  ///
  /// Rows that cannot be read are repaired or parked first. If the store cannot do that now, the others are sent without them.
  package func nextBatch(_ selection: BatchSelection) throws(LocalStoreError) -> Batch {
    do throws(LocalStoreError) {
      return try file.read { try BatchBuilder(reading: $0, selection: selection).build() }
    } catch {
      do throws(LocalStoreError) {
        return try file.read { try BatchBuilder(reading: $0, selection: selection, skipsUnreadableRows: true).build() }
      } catch _ {
        throw error
      }
    }
  }

  /// Applies the answer to `batch`, in one transaction: removes the rows that the server accepted, parks those that it rejected, stores the
  /// changes with what is still queued applied to them, and moves the cursor. Rows without a result stay queued. Throws `anotherAccount`,
  /// with nothing applied, if the batch is not of the account that is signed in.
  ///
  /// Further transactions then queue what a restored server lacks. If one of those fails, the answer is applied all the same, and the next
  /// answer continues.
  ///
  /// - Parameter yieldsToAlerts: throws `alertActive`, with nothing applied, if an alert is queued: a long answer takes some time, and who
  ///   raised an alert may just have had the lock.
  package func apply(
    _ response: SyncResponse, to batch: Batch, at moment: Moment, yieldsToAlerts: Bool = false
  ) throws(LocalStoreError) -> AppliedExchange {
    let batch = PlantedBug.cursorBeforeChanges.isPlanted ? try movingCursor(response, batch) : batch
    let applied = try file.write { transaction in
      if yieldsToAlerts, try transaction.hasQueuedAlert() {
        throw LocalStoreError(.alertActive, "an alert waits to be sent first")
      }
      return try ExchangeApplier.apply(response, to: batch, at: moment, options: options, in: transaction)
    }
    try continueResubmission(at: moment)
    return applied
  }

  /// Records that an exchange failed: one more attempt of the batch's rows and lane. Rows queued since the batch was made do not share the
  /// backoff. Records nothing if the batch is not of the account that is signed in, or if another process has sent all of it meanwhile.
  package func recordFailure(
    of batch: Batch, nextAttemptAt: Timestamp, error: SyncFailure, at moment: Moment
  ) throws(LocalStoreError) {
    try file.write { transaction in
      let values = try transaction.stateValues()
      guard try batch.isOf(values) && (batch.isEmpty || transaction.isAnyQueued(of: batch)) else { return }
      let keys = batch.lane.keys
      try transaction.setValue(values.attempts(of: batch.lane) + 1, for: keys.attempts)
      try transaction.setValue(nextAttemptAt.milliseconds, for: keys.nextAttemptAt)
      try transaction.setValue(batch.newestSequence, for: keys.failedThrough)
      try transaction.setValue(error.message, for: .lastError)
      try transaction.setValue(error.kind.rawValue, for: .lastErrorKind)
      if batch.isAlertKeyOnly, error.kind == .unauthorized { try transaction.setValue("1", for: .alertKeyRefused) }
      try transaction.countAttempt(of: batch, nextAttemptAt: nextAttemptAt, error: error)
      if PlantedBug.attemptsRunOut.isPlanted { try transaction.dropAfterAttempts(5) }
      if PlantedBug.newIDOnRetry.isPlanted { try transaction.renew(batch, identifiers(at: moment)) }
    }
  }

  /// Ends the lane's backoff. Its count of failures stays.
  package func makeDue(lane: Lane) throws(LocalStoreError) {
    try file.write { try $0.makeDue(lane) }
  }

  /// Throws if the store cannot be written now.
  package func tryWriting(until deadline: Deadline? = nil) throws(LocalStoreError) {
    try file.write(until: deadline ?? options.deadline(inMilliseconds: options.lockTimeoutMilliseconds)) {
      try $0.setValue("tried", for: .writeMark)
    }
  }

  /// Checks the whole file, its indexes too; gives what is wrong with it, empty if it is sound. Damage that no transaction had met is
  /// repaired first, and `report` says so.
  package func check() throws(LocalStoreError) -> [String] {
    if try file.read({ try $0.integrityCheck() }).isEmpty { return [] }
    try file.repair()
    return try file.read { try $0.integrityCheck() }
  }
}

extension StoreReading {
  fileprivate func isAnyQueued(of batch: Batch) throws -> Bool {
    for (mutation, sequence) in zip(batch.mutations, batch.mutationSequences)
    where try hasRow(
      "SELECT 1 FROM pending_mutations WHERE sequence = ? AND id = ?", .integer(sequence), SQLiteValue(mutation.id))
    {
      return true
    }
    for (notification, sequence) in zip(batch.notifications, batch.notificationSequences)
    where try hasRow(
      "SELECT 1 FROM pending_notifications WHERE sequence = ? AND id = ?", .integer(sequence),
      SQLiteValue(notification.id))
    {
      return true
    }
    return false
  }
}

extension StoreTransaction {
  fileprivate func countAttempt(of batch: Batch, nextAttemptAt: Timestamp, error: SyncFailure) throws {
    let limit = SQLiteValue.integer(Lane.attemptCountLimit)
    for (mutation, sequence) in zip(batch.mutations, batch.mutationSequences) {
      try run(
        """
        UPDATE pending_mutations SET attempts = min(attempts, ?) + 1, next_attempt_at = ?, last_error = ?
        WHERE sequence = ? AND id = ?
        """, limit, SQLiteValue(nextAttemptAt), .text(error.message), .integer(sequence), SQLiteValue(mutation.id))
    }
    for (notification, sequence) in zip(batch.notifications, batch.notificationSequences) {
      try run(
        """
        UPDATE pending_notifications SET attempts = min(attempts, ?) + 1, next_attempt_at = ?, last_error = ?
        WHERE sequence = ? AND id = ?
        """, limit, SQLiteValue(nextAttemptAt), .text(error.message), .integer(sequence), SQLiteValue(notification.id))
    }
  }
}
