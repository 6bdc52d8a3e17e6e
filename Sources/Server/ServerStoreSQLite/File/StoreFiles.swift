import Glibc
import ServerCore
import SystemKit

/// The database and its write-ahead log as a connection opened them, to detect that one was removed, replaced or truncated.
///
/// SQLite keeps committing to a file that was unlinked, and all of that is lost at the next start.
/// The sizes only grow while a connection is open: nothing here shrinks either file.
final class StoreFiles {
  private struct Status {
    let device: UInt
    let inode: UInt
    let byteCount: Int

    /// Nil if the file is missing.
    init?(_ path: String) throws(StorageError) {
      var status = stat()
      guard stat(path, &status) == 0 else {
        guard errno == ENOENT || errno == ENOTDIR else {
          throw StorageError(.inputOutput, "stat: \(String(cString: strerror(errno)))")
        }
        return nil
      }
      device = UInt(status.st_dev)
      inode = UInt(status.st_ino)
      byteCount = Int(status.st_size)
    }
  }

  private let path: String
  private var database: Status
  /// Nil until SQLite has created it.
  private var log: Status?

  /// Records the files before they are opened. Throws `fileLost` if the database is missing or empty: SQLite would create
  /// an empty one and delete the log.
  init(_ path: String) throws(StorageError) {
    self.path = path
    guard let database = try Status(path) else { throw StorageError(.fileLost, "the database file is missing") }
    guard database.byteCount > 0 else { throw StorageError(.fileLost, "the database file is empty") }
    self.database = database
    log = try Status(path + "-wal")
  }

  /// Throws `fileLost` unless the paths still lead to the same files, and these are no shorter.
  func check() throws(StorageError) {
    database = try Self.checked(database, path, "the database file")
    guard let log else {
      log = try Status(path + "-wal")
      return
    }
    self.log = try Self.checked(log, path + "-wal", "the database's write-ahead log")
  }

  /// The same after a commit. The log must exist and have a valid header: a log that was truncated has its old size again
  /// once SQLite writes at its end.
  func checkCommit() throws(StorageError) {
    try check()
    guard log != nil, Self.beginsAsLog(path + "-wal") else {
      throw StorageError(.fileLost, "the database's write-ahead log was removed or cut")
    }
  }

  private static func checked(_ known: Status, _ path: String, _ name: String) throws(StorageError) -> Status {
    guard let now = try Status(path) else { throw StorageError(.fileLost, "\(name) was removed") }
    guard now.device == known.device, now.inode == known.inode else {
      throw StorageError(.fileLost, "\(name) was replaced by another file")
    }
    guard now.byteCount >= known.byteCount else { throw StorageError(.fileLost, "\(name) was cut") }
    return now
  }

  /// Whether the first bytes are those of <https://www.sqlite.org/fileformat2.html#wal_file_format>. SQLite keeps no locks on
  /// the log, so opening and closing it here drops none.
  private static func beginsAsLog(_ path: String) -> Bool {
    // Without a free descriptor this cannot be checked; the sizes were.
    guard let file = FileDescriptor(opening: path, O_RDONLY) else { return errno != ENOENT }
    var magic: UInt32 = 0
    guard pread(file.number, &magic, 4, 0) == 4 else { return false }
    return UInt32(bigEndian: magic) & ~1 == 0x377F_0682
  }
}
