import Glibc
import ServerCore
import SystemKit

/// `flock` on a file beside the database: every write transaction and every checkpoint of any process holds it, as a
/// checkpoint racing a writer of another connection can damage the file in SQLite 3.7.0 to 3.51.2.
final class StoreFileLock: Sendable {
  private let file: FileDescriptor

  /// Opens the file, which must exist.
  init(path: String) throws(StorageError) {
    guard let file = FileDescriptor(opening: path, O_RDWR) else {
      let reason = String(cString: strerror(errno))
      throw StorageError(.cannotOpen, "the lock file \(path) cannot be opened: \(reason)")
    }
    self.file = file
  }

  /// Marks that this process uses the store, for others to see. Several may.
  func markAsUsed() { file.markShared() }

  func unmarkAsUsed() { file.unmark(setBy: getpid()) }

  /// Whether another process does.
  func isUsedByAnother() throws(StorageError) -> Bool {
    try Self.usable { () throws(SystemError) in try file.isMarkedByAnother() }
  }

  /// Valid as long as this object.
  var descriptor: Int32 { file.number }

  /// Runs `body` while no other process holds the lock. The writer's mutex separates threads of this process.
  ///
  /// Throws `busy` if another process keeps the lock for longer than `limitMilliseconds`, as a stopped process does.
  func hold<Result>(limitMilliseconds: Int = .max, _ body: () throws -> Result) throws -> Result {
    try take(limitMilliseconds)
    let processID = getpid()
    defer { file.unlock(takenBy: processID) }
    return try body()
  }

  private func take(_ limitMilliseconds: Int) throws(StorageError) {
    guard limitMilliseconds < .max else { return try Self.usable { () throws(SystemError) in try file.lock() } }
    var waited = 0
    // Two processes on one file are rare, and hold the lock for a millisecond: polling suffices.
    while try !Self.usable({ () throws(SystemError) in try file.tryLock() }) {
      guard waited < limitMilliseconds else {
        throw StorageError(.busy, "another process has kept the store locked for \(limitMilliseconds / 1000) s")
      }
      let pause = min(1 + waited / 10, 20)
      poll(nil, 0, Int32(pause))
      waited += pause
    }
  }

  private static func usable<Result>(_ body: () throws(SystemError) -> Result) throws(StorageError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw StorageError(.inputOutput, "the store's lock file cannot be locked")
    }
  }
}
