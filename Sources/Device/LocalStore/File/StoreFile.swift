import Glibc
import Model
import PlantedBugs
import SQLiteKit
import SystemKit

/// The open database file, shared safely between threads and processes.
///
/// - One thread at a time: `gate`.
/// - One writer at a time over all processes: the `flock` on `store.lock`, around each write transaction and checkpoint. It is
///   taken before `gate`, so that a thread that waits for it blocks no reader.
/// - Before each transaction the file's identity shows whether another process has set the file aside.
/// - After a failed commit, or any failure of the disk, the outcome is unknown: the file is reopened and checked.
final class StoreFile: Sendable {
  let home: HomeDirectory
  let options: StoreOptions
  private let gate = TimedLock()
  private let lock: FileLock
  private let guarded: Guarded

  private static let busy = LocalStoreError(.busy, "another part of this program keeps the store busy")

  private final class Guarded: @unchecked Sendable {
    // Only touched while `gate` is locked.
    var connection: Connection?
    var identity: FileSystem.Identity?
    var isClosed = false
    var report = OpeningReport()
    /// The time of the opening: it names what a later repair sets aside.
    var openedAt: Moment

    init(openedAt: Moment) {
      self.openedAt = openedAt
    }
  }

  /// Opens the file, and creates or repairs it first if needed.
  ///
  /// - Parameter deadline: for the lock, if it is needed; nil: the options' timeout.
  init(
    _ home: HomeDirectory, options: StoreOptions, at moment: Moment, deadline: Deadline? = nil
  ) throws(LocalStoreError) {
    self.home = home
    self.options = options
    let tightened = try home.prepare()
    lock = try FileLock(home.storeLockPath)
    guarded = Guarded(openedAt: moment)
    guarded.report.tightenedPermissions = tightened
    try openFirst(deadline ?? ordinaryDeadline)
  }

  private var ordinaryDeadline: Deadline { Deadline(millisecondsFromNow: options.lockTimeoutMilliseconds) }

  var report: OpeningReport {
    gate.withLock { guarded.report }
  }

  func note(_ change: @Sendable (inout OpeningReport) -> Void) {
    gate.withLock { change(&guarded.report) }
  }

  func close() {
    gate.withLock {
      guarded.isClosed = true
      checkpointAtRest()
      disconnect()
    }
  }
}

// Transactions.
extension StoreFile {
  /// Runs `body` in a read transaction. It may run a second time, on a file that was repaired in between. Takes the lock only if the
  /// file has to be created or repaired.
  func read<Result: Sendable>(_ body: (StoreReading) throws -> Result) throws(LocalStoreError) -> Result {
    let failure: any Error
    do {
      return try gate.withLock { () throws -> Result in
        do {
          guard let connection = try readyConnection() else { throw LockNeeded() }
          return try connection.read { try body(StoreReading(connection)) }
        } catch {
          disconnect(after: error)
          throw error
        }
      }
    } catch {
      failure = error
    }
    guard failure is LockNeeded || failure.isStoreDamage else { throw LocalStoreError(any: failure) }
    return try locked(until: ordinaryDeadline) { () throws(LocalStoreError) -> Result in
      if failure.isStoreDamage { try repairDamage() }
      do {
        let connection = try lockedConnection()
        return try connection.read { try body(StoreReading(connection)) }
      } catch {
        throw LocalStoreError(any: error)
      }
    }
  }

  private struct LockNeeded: Error {}

  /// Runs `body` in a write transaction and returns when it is durable. It may run a second time, on a file that was repaired in
  /// between, if the first run has left no trace.
  ///
  /// - Parameters:
  ///   - deadline: limits all its waits together; nil: the options' timeout.
  ///   - isDurable: tells whether the transaction committed, when its outcome is unknown; nil leaves a mark in each transaction and
  ///     looks for that.
  func write<Result: Sendable>(
    until deadline: Deadline? = nil, isDurable: ((StoreReading) throws -> Bool)? = nil,
    _ body: (StoreTransaction) throws -> Result
  ) throws(LocalStoreError) -> Result {
    try locked(until: deadline ?? ordinaryDeadline) { () throws(LocalStoreError) -> Result in
      // A program of somebody else may hold SQLite's own lock.
      if let deadline { guarded.connection?.setBusyTimeout(milliseconds: deadline.remainingMilliseconds) }
      defer {
        if deadline != nil { guarded.connection?.setBusyTimeout(milliseconds: options.lockTimeoutMilliseconds) }
      }
      var attempt = WriteAttempt<Result>(mark: isDurable == nil ? mark() : nil)
      do {
        return try perform(&attempt, body)
      } catch {
        let isRepaired = try recoverLocked(from: error)
        if let result = attempt.result, PlantedBug.acknowledgedBeforeCommit.isPlanted { return result }
        if let result = attempt.result, try trace(of: attempt, isDurable) { return result }
        guard isRepaired else { throw LocalStoreError(any: error) }
      }
      do {
        return try perform(&attempt, body)
      } catch {
        _ = try recoverLocked(from: error)
        throw LocalStoreError(any: error)
      }
    }
  }

  private struct WriteAttempt<Result> {
    let mark: String?
    /// The body's result, once it has returned.
    var result: Result?
  }

  private func perform<Result>(
    _ attempt: inout WriteAttempt<Result>, _ body: (StoreTransaction) throws -> Result
  ) throws -> Result {
    attempt.result = nil
    let connection = try lockedConnection()
    if options.noteWork != nil { _ = connection.takeWork() }
    let result = try connection.write {
      let transaction = StoreTransaction(connection)
      _ = connection.takeRowChanges()
      let result = try body(transaction)
      try transaction.leave(attempt.mark, after: connection.takeRowChanges(), random: mark)
      attempt.result = result
      return result
    }
    if let noteWork = options.noteWork { noteWork(connection.takeWork()) }
    // The commit is durable; a checkpoint that fails is repeated after a later one. A log that was copied is overwritten from its
    // start, which syncs faster than a log that grows.
    let isLogLong = connection.logPages >= options.checkpointPages && !PlantedBug.logNeverShrinks.isPlanted
    if isLogLong { _ = try? connection.checkpoint() }
    return result
  }

  /// Whether a transaction with an unknown outcome has committed, durably.
  ///
  /// A failed sync may have dropped what it could not write from the page cache, so that a second sync proves nothing. Only the copy of
  /// the log in the database, written and synced anew, does.
  private func trace<Result>(
    of attempt: WriteAttempt<Result>, _ isDurable: ((StoreReading) throws -> Bool)?
  ) throws(LocalStoreError) -> Bool {
    do {
      let connection = try lockedConnection()
      let isThere = try connection.read {
        let reading = StoreReading(connection)
        return try isDurable?(reading) ?? (WriteMark(reading.value(of: .writeMark)).mark == attempt.mark)
      }
      return try isThere && connection.checkpoint()
    } catch {
      // Still unknown: the caller reports the first error.
      return false
    }
  }

  private func mark() -> String {
    let random = options.random()
    return String(random.0, radix: 16) + String(random.1, radix: 16)
  }

  /// Copies the write-ahead log into the database and empties it; waits that long for readers.
  func emptyLog(waitMilliseconds: Int32) throws(LocalStoreError) {
    try locked(until: ordinaryDeadline) { () throws(LocalStoreError) in
      do {
        try lockedConnection().checkpoint(.emptying(waitMilliseconds: waitMilliseconds))
      } catch {
        _ = try recoverLocked(from: error)
        throw LocalStoreError(any: error)
      }
    }
  }

  /// Empties a long log on closing. The next opener replays the whole log and appends to it, so that short-lived commands would make it
  /// longer without end. Waits for no other process; a failure leaves what was committed as it is.
  private func checkpointAtRest() {
    guard let connection = guarded.connection, connection.logPages >= options.restingLogPages,
      !PlantedBug.logNeverShrinks.isPlanted
    else { return }
    _ = try? lock.withLockIfFree {
      guard (try? FileSystem.status(home.databasePath))??.identity == guarded.identity else { return }
      _ = try? connection.checkpoint(.emptying(waitMilliseconds: 0))
    }
  }

  /// Runs `body` with the lock and the gate.
  private func locked<Result>(
    until deadline: Deadline, _ body: () throws(LocalStoreError) -> Result
  ) throws(LocalStoreError) -> Result {
    try lock.withLock(until: deadline) { () throws(LocalStoreError) -> Result in
      try gate.withLock(until: deadline, orThrow: Self.busy, body)
    }
  }
}

// Opening and reopening.
extension StoreFile {
  /// Opens a file that is sound and current, the usual case, without the lock: so a reader never waits.
  private func openFirst(_ deadline: Deadline) throws(LocalStoreError) {
    let isOpen = try gate.withLock { () throws(LocalStoreError) in try readyConnection() != nil }
    guard !isOpen else { return }
    try locked(until: deadline) { () throws(LocalStoreError) in
      _ = try lockedConnection()
    }
  }

  private func isReady() throws(LocalStoreError) -> Bool {
    guard !FileSystem.exists(home.replacementPath) else { return false }
    return try FileSystem.status(home.databasePath).map { $0.byteCount > 0 } ?? false
  }

  /// nil if the file has to be repaired or migrated, under the lock.
  private func openReady() throws(LocalStoreError) -> Connection? {
    do throws(SQLiteError) {
      let connection = try connect()
      if try Migrator.client.isCurrent(connection), try StoreReading(connection).hasDeviceID() { return connection }
      connection.close()
      return nil
    } catch {
      guard error.isDamage || error.mayBeOfTheSchema else { throw LocalStoreError(error) }
      return nil
    }
  }

  /// The connection to the file that has the name now, reopened if it was closed or the file was replaced; nil if the file has to be
  /// created or repaired first, under the lock.
  private func readyConnection() throws(LocalStoreError) -> Connection? {
    if let connection = try currentConnection() { return connection }
    guard try isReady(), let connection = try openReady() else { return nil }
    try adopt(connection)
    return connection
  }

  /// The same, created or repaired if needed. The lock is held.
  private func lockedConnection() throws(LocalStoreError) -> Connection {
    if let connection = try currentConnection() { return connection }
    let connection = try StoreMaker(home: home, moment: guarded.openedAt, options: options).open(&guarded.report)
    try adopt(connection)
    return connection
  }

  private func currentConnection() throws(LocalStoreError) -> Connection? {
    guard !guarded.isClosed else { throw LocalStoreError(.cannotOpen, "the store was closed") }
    guard let connection = guarded.connection else { return nil }
    if try FileSystem.status(home.databasePath)?.identity == guarded.identity { return connection }
    disconnect()
    return nil
  }

  private func connect() throws(SQLiteError) -> Connection {
    try Connection(path: home.databasePath, options: options.connection)
  }

  private func adopt(_ connection: Connection) throws(LocalStoreError) {
    let status = try FileSystem.status(home.databasePath)
    guarded.identity = status?.identity
    guarded.connection = connection
    guard let status, status.permissions & 0o077 != 0 else { return }
    try home.closeFilesToOthers()
    guarded.report.tightenedPermissions = true
  }

  /// Repairs a file in which a check has found damage that no transaction has met.
  func repair() throws(LocalStoreError) {
    try locked(until: ordinaryDeadline) { () throws(LocalStoreError) in
      guard !guarded.isClosed else { throw LocalStoreError(.cannotOpen, "the store was closed") }
      disconnect()
      try repairDamage()
    }
  }

  private func disconnect() {
    guarded.connection?.close()
    guarded.connection = nil
  }

  /// Closes the file if `error` leaves the outcome unknown.
  private func disconnect(after error: any Error) {
    if error.isStoreDoubtful { disconnect() }
  }

  /// The same, with the lock held. True if a damaged file is repaired now, by this process or by another: then a retry makes sense.
  private func recoverLocked(from error: any Error) throws(LocalStoreError) -> Bool {
    disconnect(after: error)
    guard error.isStoreDamage else { return false }
    try repairDamage()
    return true
  }

  private func repairDamage() throws(LocalStoreError) {
    try StoreMaker(home: home, moment: guarded.openedAt, options: options).repair(&guarded.report)
  }
}

extension Error {
  /// After such an error the connection cannot be trusted.
  fileprivate var isStoreDoubtful: Bool {
    switch self as any Error {
    case let error as SQLiteError: error.isOfDisk || error.isUnreadableValue
    case is CommitFailure: true
    default: false
    }
  }

  /// The file is damaged, or a row in it.
  fileprivate var isStoreDamage: Bool {
    switch self as any Error {
    case let error as SQLiteError: error.isDamage || error.isUnreadableValue || error.mayBeOfTheSchema
    case let commit as CommitFailure: commit.error.isDamage
    default: false
    }
  }
}

extension StoreOptions {
  var connection: ConnectionOptions {
    var options = ConnectionOptions()
    options.vfs = vfs
    options.busyTimeoutMilliseconds = Int32(clamping: lockTimeoutMilliseconds)
    return options
  }
}
