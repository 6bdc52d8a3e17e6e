import Glibc
import SQLiteKit
import ServerCore
import SystemKit

/// The files of a store that no server uses, on their way to another name.
enum SetAsideFiles {
  static let isUsed = StorageError(.busy, "a server, or a backup, uses the database: stop it first")

  /// Copies the log into the file and removes it, which SQLite does only for the one connection that there is: a server of an earlier
  /// version has no mark.
  static func takeAlone(_ path: String) throws {
    var options = ConnectionOptions()
    options.createsFile = false
    options.busyTimeoutMilliseconds = 1000
    do {
      let connection = try Connection(path: path, options: options)
      defer { connection.close() }
      let mode: String? = try connection.statement("PRAGMA journal_mode = DELETE").value()
      guard mode == "delete" else { throw isUsed }
    } catch let error as SQLiteError where error.kind == .busy {
      throw isUsed
    }
  }

  /// Gives those that there are this name, or one with a number behind it that nothing has. Returns their paths; the store's own first.
  static func move(_ path: String, to name: String) throws -> [String] {
    let free = free(name)
    var moved: [String] = []
    // The store before its log: a log beside another store's file would be applied to that.
    for end in ["", "-wal", "-journal"] where access(path + end, F_OK) == 0 {
      guard rename(path + end, free + end) == 0 else { throw StoreCopy.failure("\(path)\(end) cannot be moved") }
      moved.append(free + end)
    }
    unlink(path + "-shm")
    try StoreCopy.sync(Folder.parent(of: path))
    return moved
  }

  private static func free(_ name: String) -> String {
    var (candidate, number) = (name, 1)
    while access(candidate, F_OK) == 0 {
      number += 1
      candidate = "\(name)-\(number)"
    }
    return candidate
  }
}
