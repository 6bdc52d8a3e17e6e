package import Model
import PlantedBugs
import SQLiteKit
package import SystemKit
package import Wire

extension LocalStore {
  /// All that the planner has to know, as of one moment.
  package func syncState() throws(LocalStoreError) -> SyncState {
    try file.read { connection in
      let values = try connection.stateValues()
      let counts = try connection.queueCounts()
      guard let deviceID = values[.deviceID].flatMap({ DeviceID($0) }) else { throw LocalStoreError.unreadableRow }
      return SyncState(
        deviceID: deviceID,
        cursor: values[.cursor],
        epoch: values[.epoch],
        session: values.session,
        emergency: try connection.laneState(.emergency, values, counts),
        routine: try connection.laneState(.routine, values, counts),
        hasActiveAlert: try connection.hasActiveAlert(),
        serverOffsetMilliseconds: values.integer(.serverOffset),
        parked: counts.parked,
        lastSuccessAt: values.time(.lastSuccessAt)
      )
    }
  }

  /// The next rows to send, without the parked and what they hold back: oldest first, but for alerts that were over before the
  /// server had them, which follow the others.
  ///
  /// The emergency lane's batch holds nothing of the routine lane: whatever rode along would hold the alert up. A responder
  /// who was added before the alert, and is not known to the server, is told when their own row arrives.
  ///
  /// Rows that cannot be read are mended or parked first. Where the store cannot do that now, the others go without them,
  /// and alerts go alone.
  package func nextBatch(_ selection: BatchSelection) throws(LocalStoreError) -> Batch {
    do throws(LocalStoreError) {
      return try file.read { try BatchBuilder(connection: $0, selection: selection).build() }
    } catch {
      do throws(LocalStoreError) {
        return try file.read { try BatchBuilder(connection: $0, selection: selection, isSparing: true).build() }
      } catch _ {
        throw error
      }
    }
  }

  /// Takes in the answer to `batch`, in one transaction: rows that the server took are removed, refused ones parked, changes
  /// stored with what is still queued laid on top, and the cursor moved. Rows without a result stay queued. Throws
  /// `anotherAccount`, and takes nothing in, where the batch is not of the account that is signed in.
  ///
  /// Further transactions then queue what a restored server lacks. Where one of those fails, the answer was taken in all the
  /// same, and the next one goes on.
  package func apply(
    _ response: SyncResponse, to batch: Batch, at moment: Moment
  ) throws(LocalStoreError) -> AppliedExchange {
    let batch = PlantedBug.cursorBeforeChanges.isPlanted ? try movingCursor(response, batch) : batch
    let exchange = ExchangeApplier(response: response, batch: batch, moment: moment, options: options)
    let applied = try file.write { try exchange.apply(to: $0) }
    try continueResubmission(at: moment)
    return applied
  }

  /// Notes that an exchange failed: one attempt more for the batch's rows and lane. Rows queued since the batch was made do
  /// not share the wait. Nothing is noted where the batch is not of the account that is signed in, or where another process
  /// has brought all of it to the server meanwhile.
  package func recordFailure(
    of batch: Batch, nextAttemptAt: Timestamp, error: SyncFailure, at moment: Moment
  ) throws(LocalStoreError) {
    try file.write { connection in
      let values = try connection.stateValues()
      guard try batch.isOf(values) && (batch.isEmpty || connection.isAnyQueued(of: batch)) else { return }
      let keys = batch.lane.keys
      try connection.setValue(values.attempts(of: batch.lane) + 1, for: keys.attempts)
      try connection.setValue(nextAttemptAt.milliseconds, for: keys.nextAttemptAt)
      try connection.setValue(batch.newestSequence, for: keys.failedThrough)
      try connection.setValue(error.message, for: .lastError)
      try connection.setValue(error.kind.rawValue, for: .lastErrorKind)
      if batch.isAlertKeyOnly, error.kind == .unauthorized { try connection.setValue("1", for: .alertKeyRefused) }
      try connection.countAttempt(of: batch, nextAttemptAt: nextAttemptAt, error: error)
      if PlantedBug.attemptsRunOut.isPlanted { try connection.dropAfterAttempts(5) }
      if PlantedBug.newIDOnRetry.isPlanted { try connection.renew(batch, identifiers(at: moment)) }
    }
  }

  /// Forgets how long the lane was to wait. How often it failed stays.
  package func makeDue(lane: Lane) throws(LocalStoreError) {
    try file.write { try $0.makeDue(lane) }
  }

  /// Throws where the store cannot be written now.
  package func tryWriting(until deadline: Deadline? = nil) throws(LocalStoreError) {
    try file.write(until: deadline ?? options.deadline(inMilliseconds: options.lockTimeoutMilliseconds)) {
      try $0.setValue("tried", for: .writeMark)
    }
  }

  /// SQLite's check of the whole file, its indexes too: what is wrong with it, empty is well. Damage that nobody had come
  /// upon is mended first, and `report` tells.
  package func check() throws(LocalStoreError) -> [String] {
    if try file.read({ try $0.integrityCheck() }).isEmpty { return [] }
    try file.mend()
    return try file.read { try $0.integrityCheck() }
  }
}

extension Connection {
  fileprivate func isAnyQueued(of batch: Batch) throws -> Bool {
    let mutations = try statement("SELECT 1 FROM pending_mutations WHERE sequence = ? AND id = ?")
    for (mutation, sequence) in zip(batch.mutations, batch.mutationSequences)
    where try mutations.first(.integer(sequence), SQLiteValue(mutation.id), row: { _ in true }) ?? false {
      return true
    }
    let notifications = try statement("SELECT 1 FROM pending_notifications WHERE sequence = ? AND id = ?")
    for (notification, sequence) in zip(batch.notifications, batch.notificationSequences)
    where try notifications.first(.integer(sequence), SQLiteValue(notification.id), row: { _ in true }) ?? false {
      return true
    }
    return false
  }

  fileprivate func countAttempt(of batch: Batch, nextAttemptAt: Timestamp, error: SyncFailure) throws {
    let mutations = try statement(
      """
      UPDATE pending_mutations SET attempts = min(attempts, 1000000) + 1, next_attempt_at = ?, last_error = ?
      WHERE sequence = ? AND id = ?
      """)
    for (mutation, sequence) in zip(batch.mutations, batch.mutationSequences) {
      try mutations.run(
        SQLiteValue(nextAttemptAt), .text(error.message), .integer(sequence), SQLiteValue(mutation.id))
    }
    let notifications = try statement(
      """
      UPDATE pending_notifications SET attempts = min(attempts, 1000000) + 1, next_attempt_at = ?, last_error = ?
      WHERE sequence = ? AND id = ?
      """)
    for (notification, sequence) in zip(batch.notifications, batch.notificationSequences) {
      try notifications.run(
        SQLiteValue(nextAttemptAt), .text(error.message), .integer(sequence), SQLiteValue(notification.id))
    }
  }
}
