import Glibc
import Model
import PlantedBugs
import SQLiteKit
import SystemKit

/// The open database file, with the discipline that several processes need (design: "The device's store").
///
/// - One thread at a time: `gate`.
/// - One writer at a time over all processes: the `flock` on `store.lock`, around each write transaction and checkpoint. It is
///   taken before `gate`, so that whoever waits for it keeps no reader waiting.
/// - A file that another process has set aside is noticed by its identity, before each transaction.
/// - After a failed commit, or any failure of the disk, the outcome is unknown: the file is opened anew and looked into.
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
    /// Of the last opening; names what has to be named by a time when it has to be done later.
    var openedAt: Moment

    init(openedAt: Moment) {
      self.openedAt = openedAt
    }
  }

  /// Opens the file, and makes or mends it first where that is needed.
  ///
  /// - Parameter deadline: for the lock, where it is needed; nil: the options' timeout.
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
  /// Runs `body` in a read transaction. It may run a second time, on a file that was mended in between. The lock is needed
  /// only where the file has to be made or mended.
  func read<Result: Sendable>(_ body: (Connection) throws -> Result) throws(LocalStoreError) -> Result {
    let failure: any Error
    do {
      return try gate.withLock { () throws -> Result in
        do {
          guard let connection = try readyConnection() else { throw LockNeeded() }
          return try connection.read { try body(connection) }
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
      if failure.isStoreDamage { try mendDamage() }
      do {
        let connection = try lockedConnection()
        return try connection.read { try body(connection) }
      } catch {
        throw LocalStoreError(any: error)
      }
    }
  }

  private struct LockNeeded: Error {}

  /// Runs `body` in a write transaction and returns when it is durable. It may run a second time, on a file that was mended
  /// in between, when the first has left no trace.
  ///
  /// - Parameters:
  ///   - deadline: for all that it has to wait for together; nil: the options' timeout.
  ///   - isDurable: looks for the transaction's trace after its outcome became unknown; nil leaves a mark in each transaction
  ///     and looks for that.
  func write<Result: Sendable>(
    until deadline: Deadline? = nil, isDurable: ((Connection) throws -> Bool)? = nil,
    _ body: (Connection) throws -> Result
  ) throws(LocalStoreError) -> Result {
    try locked(until: deadline ?? ordinaryDeadline) { () throws(LocalStoreError) -> Result in
      // A program that is not ours may hold SQLite's own lock.
      if let deadline { guarded.connection?.setBusyTimeout(milliseconds: deadline.remainingMilliseconds) }
      defer {
        if deadline != nil { guarded.connection?.setBusyTimeout(milliseconds: options.lockTimeoutMilliseconds) }
      }
      var attempt = WriteAttempt<Result>(mark: isDurable == nil ? mark() : nil)
      do {
        return try perform(&attempt, body)
      } catch {
        let mended = try recoverLocked(from: error)
        if let result = attempt.result, PlantedBug.acknowledgedBeforeCommit.isPlanted { return result }
        if let result = attempt.result, try trace(of: attempt, isDurable) { return result }
        guard mended else { throw LocalStoreError(any: error) }
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
    /// What the body gave, when it came to an end.
    var result: Result?
  }

  private func perform<Result>(
    _ attempt: inout WriteAttempt<Result>, _ body: (Connection) throws -> Result
  ) throws -> Result {
    attempt.result = nil
    let connection = try lockedConnection()
    if options.noteWork != nil { _ = connection.takeWork() }
    let result = try connection.write {
      let before = WriteMark(try connection.value(of: .writeMark))
      _ = connection.takeRowChanges()
      let result = try body(connection)
      try connection.leave(attempt.mark, after: before, connection.takeRowChanges(), random: mark)
      attempt.result = result
      return result
    }
    if let noteWork = options.noteWork { noteWork(connection.takeWork()) }
    // The commit stands; a log that could not be copied now is copied after a later one. Once copied it is written over, which
    // a sync takes less time for than for a log that grows.
    let isLogLong = connection.logPages >= options.checkpointPages && !PlantedBug.logNeverShrinks.isPlanted
    if isLogLong { _ = try? connection.checkpoint() }
    return result
  }

  /// Whether an unknown outcome turns out to be a commit, and is certain to stay one.
  ///
  /// A failed sync may have dropped from memory what it could not write, so that a second one would tell nothing: only the
  /// copy of the log in the database, written and synced anew, does.
  private func trace<Result>(
    of attempt: WriteAttempt<Result>, _ isDurable: ((Connection) throws -> Bool)?
  ) throws(LocalStoreError) -> Bool {
    do {
      let connection = try lockedConnection()
      let isThere = try connection.read {
        try isDurable?(connection) ?? (WriteMark(connection.value(of: .writeMark)).mark == attempt.mark)
      }
      return try isThere && connection.checkpoint()
    } catch {
      // Still unknown: the first error is the one to tell.
      return false
    }
  }

  private func mark() -> String {
    let random = options.random()
    return String(random.0, radix: 16) + String(random.1, radix: 16)
  }

  /// Copies the write-ahead log into the database and empties it, waiting so long for readers.
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

  /// Whoever opens a file next reads its whole log first, does not know what of it was copied, and goes on behind it: commands
  /// that come and go would make it longer without end. So a long one is emptied. It is a courtesy: nobody is waited for,
  /// and a failure changes nothing of what has been committed.
  private func checkpointAtRest() {
    guard let connection = guarded.connection, connection.logPages >= options.restingLogPages,
      !PlantedBug.logNeverShrinks.isPlanted
    else { return }
    _ = try? lock.withLockIfFree {
      guard (try? FileSystem.status(home.databasePath))??.identity == guarded.identity else { return }
      _ = try? connection.checkpoint(.emptying(waitMilliseconds: 0))
    }
  }

  /// Runs `body` with the lock and behind the gate.
  private func locked<Result>(
    until deadline: Deadline, _ body: () throws(LocalStoreError) -> Result
  ) throws(LocalStoreError) -> Result {
    try lock.withLock(until: deadline) { () throws(LocalStoreError) -> Result in
      try gate.withLock(until: deadline, orThrow: Self.busy, body)
    }
  }
}

// Opening, and opening again.
extension StoreFile {
  /// The usual case is a file that is whole and current: it is opened without the lock, so that a reader never waits.
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

  /// nil where the file has to be mended or brought up to date, under the lock.
  private func openReady() throws(LocalStoreError) -> Connection? {
    do throws(SQLiteError) {
      let connection = try connect()
      if try Migrator.client.isCurrent(connection), try connection.hasNamedDevice() { return connection }
      connection.close()
      return nil
    } catch {
      guard error.isDamage || error.mayBeOfTheSchema else { throw LocalStoreError(error) }
      return nil
    }
  }

  /// The connection to the file that has the name now, opened anew where it was closed or another has taken the name; nil
  /// where the file has to be made or mended first, under the lock.
  private func readyConnection() throws(LocalStoreError) -> Connection? {
    if let connection = try currentConnection() { return connection }
    guard try isReady(), let connection = try openReady() else { return nil }
    try adopt(connection)
    return connection
  }

  /// The same, made or mended where that is needed: the lock is held.
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

  /// Mends a file in which a check has found damage that no transaction came upon.
  func mend() throws(LocalStoreError) {
    try locked(until: ordinaryDeadline) { () throws(LocalStoreError) in
      guard !guarded.isClosed else { throw LocalStoreError(.cannotOpen, "the store was closed") }
      disconnect()
      try mendDamage()
    }
  }

  private func disconnect() {
    guarded.connection?.close()
    guarded.connection = nil
  }

  /// Closes the file where `error` leaves the outcome unknown.
  private func disconnect(after error: any Error) {
    if error.isStoreDoubtful { disconnect() }
  }

  /// The same, with the lock held. True where a damaged file was mended, or had been already, so that trying once more makes
  /// sense.
  private func recoverLocked(from error: any Error) throws(LocalStoreError) -> Bool {
    disconnect(after: error)
    guard error.isStoreDamage else { return false }
    try mendDamage()
    return true
  }

  private func mendDamage() throws(LocalStoreError) {
    try StoreMaker(home: home, moment: guarded.openedAt, options: options).mend(&guarded.report)
  }
}

extension Error {
  /// After such an error the connection is not to be trusted.
  fileprivate var isStoreDoubtful: Bool {
    switch self as any Error {
    case let error as SQLiteError: error.isDoubtful
    case is CommitFailure: true
    case let error as LocalStoreError: error == .unreadableRow
    default: false
    }
  }

  /// The file is damaged, or a row of it.
  fileprivate var isStoreDamage: Bool {
    switch self as any Error {
    case let error as SQLiteError: error.isDamage || error.mayBeOfTheSchema
    case let commit as CommitFailure: commit.error.isDamage
    case let error as LocalStoreError: error == .unreadableRow
    default: false
    }
  }
}

extension SQLiteError {
  /// After such an error the connection is not to be trusted.
  fileprivate var isDoubtful: Bool {
    isDamage || isInputOutput || isDiskFull || isReadOnly || isCannotOpen
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
