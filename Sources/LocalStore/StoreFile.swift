import Glibc
import Model
import PlantedBugs
import SQLiteKit
import Synchronization

/// The open database file, with the discipline that several processes need (design: "The device's store").
///
/// - One thread at a time: `gate`.
/// - One writer at a time over all processes: the `flock` on `store.lock`, around each write transaction and checkpoint.
/// - A file that another process has set aside is noticed by its identity, before each transaction.
/// - After a failed commit, or any failure of the disk, the outcome is unknown: the file is opened anew and looked into.
final class StoreFile: Sendable {
  let home: HomeDirectory
  let options: StoreOptions
  private let gate = Mutex(())
  private let guarded: Guarded

  private final class Guarded: @unchecked Sendable {
    // Only touched while `gate` is locked.
    var lock: FileLock
    var connection: Connection?
    var identity: FileSystem.Identity?
    var isClosed = false
    var report = OpeningReport()
    /// Of the last opening; names what has to be named by a time when it has to be done later.
    var openedAt: Moment

    init(lock: consuming FileLock, openedAt: Moment) {
      self.lock = lock
      self.openedAt = openedAt
    }
  }

  /// Opens the file, and makes or mends it first where that is needed.
  init(_ home: HomeDirectory, options: StoreOptions, at moment: Moment) throws(LocalStoreError) {
    self.home = home
    self.options = options
    let tightened = try home.prepare()
    guarded = Guarded(lock: try FileLock(home.storeLockPath), openedAt: moment)
    guarded.report.tightenedPermissions = tightened
    try gate.withLock { _ throws(LocalStoreError) in
      try openFirst()
    }
  }

  var report: OpeningReport {
    gate.withLock { _ in guarded.report }
  }

  func note(_ change: @Sendable (inout OpeningReport) -> Void) {
    gate.withLock { _ in change(&guarded.report) }
  }

  func close() {
    gate.withLock { _ in
      guarded.isClosed = true
      checkpointAtRest()
      disconnect()
    }
  }
}

// Transactions.
extension StoreFile {
  /// Runs `body` in a read transaction. It may run a second time, on a file that was mended in between.
  func read<Result: Sendable>(_ body: (Connection) throws -> Result) throws(LocalStoreError) -> Result {
    try gate.withLock { _ throws(LocalStoreError) -> Result in
      do {
        return try connected(isLocked: false).read { try body(connection()) }
      } catch {
        guard try recover(from: error, isLocked: false) else { throw LocalStoreError(any: error) }
      }
      do {
        return try connected(isLocked: false).read { try body(connection()) }
      } catch {
        throw LocalStoreError(any: error)
      }
    }
  }

  /// Runs `body` in a write transaction and returns when it is durable. It may run a second time, on a file that was mended
  /// in between, when the first has left no trace.
  ///
  /// `isDurable` looks for the transaction's trace after its outcome became unknown; nil leaves a mark in each transaction
  /// and looks for that.
  func write<Result: Sendable>(
    isDurable: ((Connection) throws -> Bool)? = nil, _ body: (Connection) throws -> Result
  ) throws(LocalStoreError) -> Result {
    try gate.withLock { _ throws(LocalStoreError) -> Result in
      try locked { () throws(LocalStoreError) -> Result in
        var attempt = WriteAttempt<Result>(mark: isDurable == nil ? mark() : nil)
        do {
          return try perform(&attempt, body)
        } catch {
          let mended = try recover(from: error, isLocked: true)
          if let result = attempt.result, PlantedBug.acknowledgedBeforeCommit.isPlanted { return result }
          if let result = attempt.result, try trace(of: attempt, isDurable) { return result }
          guard mended else { throw LocalStoreError(any: error) }
        }
        do {
          return try perform(&attempt, body)
        } catch {
          _ = try recover(from: error, isLocked: true)
          throw LocalStoreError(any: error)
        }
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
    let connection = try connected(isLocked: true)
    let result = try connection.write {
      let result = try body(connection)
      if let mark = attempt.mark { try connection.setValue(mark, for: .writeMark) }
      attempt.result = result
      return result
    }
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
      let connection = try connected(isLocked: true)
      let isThere = try connection.read {
        try isDurable?(connection) ?? (connection.value(of: .writeMark) == attempt.mark)
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
    try gate.withLock { _ throws(LocalStoreError) in
      try locked { () throws(LocalStoreError) in
        do {
          try connected(isLocked: true).checkpoint(.emptying(waitMilliseconds: waitMilliseconds))
        } catch {
          _ = try recover(from: error, isLocked: true)
          throw LocalStoreError(any: error)
        }
      }
    }
  }

  /// Whoever opens a file next reads its whole log first, does not know what of it was copied, and goes on behind it: commands
  /// that come and go would make it longer without end. So a long one is emptied. It is a courtesy: nobody is waited for,
  /// and a failure changes nothing of what has been committed.
  private func checkpointAtRest() {
    guard let connection = guarded.connection, connection.logPages >= options.restingLogPages,
      !PlantedBug.logNeverShrinks.isPlanted, (try? guarded.lock.tryAcquire()) == true
    else { return }
    defer { guarded.lock.release() }
    guard (try? FileSystem.status(home.databasePath))??.identity == guarded.identity else { return }
    _ = try? connection.checkpoint(.emptying(waitMilliseconds: 0))
  }

  private func locked<Result>(_ body: () throws(LocalStoreError) -> Result) throws(LocalStoreError) -> Result {
    try guarded.lock.acquire(timeoutMilliseconds: options.lockTimeoutMilliseconds)
    defer { guarded.lock.release() }
    return try body()
  }
}

// Opening, and opening again.
extension StoreFile {
  /// The usual case is a file that is whole and current: it is opened without the lock, so that a reader never waits.
  private func openFirst() throws(LocalStoreError) {
    if try isReady(), let connection = try openReady() { return try adopt(connection) }
    try locked { () throws(LocalStoreError) in
      _ = try connected(isLocked: true)
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
      guard error.isDamage else { throw LocalStoreError(error) }
      return nil
    }
  }

  /// The connection to the file that has the name now, opened anew where it was closed or another has taken the name.
  private func connected(isLocked: Bool) throws(LocalStoreError) -> Connection {
    guard !guarded.isClosed else { throw LocalStoreError(.cannotOpen, "the store was closed") }
    if let connection = guarded.connection {
      if try FileSystem.status(home.databasePath)?.identity == guarded.identity { return connection }
      disconnect()
    }
    guard isLocked else {
      if try isReady(), let connection = try openReady() {
        try adopt(connection)
        return connection
      }
      return try locked { () throws(LocalStoreError) in try connected(isLocked: true) }
    }
    let connection = try StoreMaker(home: home, moment: guarded.openedAt, options: options).open(&guarded.report)
    try adopt(connection)
    return connection
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

  private func connection() throws(LocalStoreError) -> Connection {
    guard let connection = guarded.connection else { throw LocalStoreError(.cannotOpen, "the store was closed") }
    return connection
  }

  /// Mends a file in which a check has found damage that no transaction came upon.
  func mend() throws(LocalStoreError) {
    try gate.withLock { _ throws(LocalStoreError) in
      guard !guarded.isClosed else { throw LocalStoreError(.cannotOpen, "the store was closed") }
      disconnect()
      try locked { () throws(LocalStoreError) in
        try StoreMaker(home: home, moment: guarded.openedAt, options: options).mend(&guarded.report)
      }
    }
  }

  private func disconnect() {
    guarded.connection?.close()
    guarded.connection = nil
  }

  /// Closes the file where `error` leaves the outcome unknown. True where a damaged file was mended, or had been already, so
  /// that trying once more makes sense.
  private func recover(from error: any Error, isLocked: Bool) throws(LocalStoreError) -> Bool {
    let isDamage: Bool
    switch error {
    case let error as SQLiteError where error.isDoubtful: isDamage = error.isDamage
    case let commit as CommitFailure: isDamage = commit.error.isDamage
    case let error as LocalStoreError where error == .unreadableRow: isDamage = true
    default: return false
    }
    disconnect()
    guard isDamage else { return false }
    guard isLocked else {
      return try locked { () throws(LocalStoreError) in try recover(from: error, isLocked: true) }
    }
    try StoreMaker(home: home, moment: guarded.openedAt, options: options).mend(&guarded.report)
    return true
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
