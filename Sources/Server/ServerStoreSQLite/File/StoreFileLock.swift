import Glibc
import ServerCore
import SystemKit

/// `flock` on a file beside the database: every write transaction and every checkpoint of any process holds it, as a
/// checkpoint racing a writer of another connection can damage the file in SQLite 3.7.0 to 3.51.2.
final class StoreFileLock: Sendable {
  private let file: FileDescriptor

  /// Opens the file, which is there.
  init(path: String) throws(StorageError) {
    guard let file = FileDescriptor(opening: path, O_RDWR) else {
      throw StorageError(.cannotOpen, "the store's lock file cannot be opened")
    }
    self.file = file
  }

  /// Valid for as long as this object is.
  var descriptor: Int32 { file.number }

  /// Runs `body` while no other process is in its own. Threads of this process are kept apart by the writer's mutex.
  func hold<Result>(_ body: () throws -> Result) throws -> Result {
    while flock(file.number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw StorageError(.inputOutput, "the store's lock file cannot be locked") }
    }
    defer { flock(file.number, LOCK_UN) }
    return try body()
  }
}
