import Glibc
import SQLiteKit
import Schema
package import ServerCore
import SystemKit

/// A copy of a store in a file of its own: a backup.
///
/// It holds everything, the server's keys too: whoever has it can read all of it and sign as the server.
package struct StoreCopy {
  package let accounts: Int
  package let activeAlerts: Int

  package struct Made {
    package let copy: StoreCopy
    /// Whether others on the machine can read it: the file system keeps no modes, as FAT does.
    package let isReadableByOthers: Bool
  }

  /// Copies the store at `path` to `target`, as of one moment, while servers use it. The copy has mode 0600 where the file system keeps modes,
  /// is durable, and was read whole when this returns. Throws, and leaves nothing, where `target` is there already.
  ///
  /// - Parameter fileSystemHasLinks: false behaves as on a file system without hard links, such as FAT. Only tests set it.
  package static func make(
    of path: String, at target: String, fileSystemHasLinks: Bool = true
  ) throws(StorageError) -> Made {
    guard access(target, F_OK) != 0 else { throw StorageError(.cannotOpen, "\(target) already exists") }
    guard access(path, F_OK) == 0 else {
      throw errno == ENOENT
        ? StorageError(.fileLost, "there is no database at \(path)") : failure("the database \(path) cannot be opened")
    }
    let partial = PartialFile.path(for: target)
    defer { PartialFile.remove(partial) }
    return try naming(path) {
      // SQLite fills an empty file, and would make one that others may read.
      guard let file = FileDescriptor(opening: partial, O_RDWR | O_CREAT | O_EXCL, permissions: 0o600) else {
        throw failure("\(target) cannot be made")
      }
      var options = ConnectionOptions()
      options.createsFile = false
      let connection = try Connection(path: path, options: options)
      defer { connection.close() }
      try connection.statement("VACUUM INTO ?").run(.text(partial))
      guard fsync(file.number) == 0 else { throw failure("\(partial) cannot be made durable") }
      let copy = try StoreCopy(reading: partial, called: target)
      var attributes = stat()
      guard fstat(file.number, &attributes) == 0 else { throw failure("\(partial) cannot be read") }
      do throws(SystemError) {
        try WholeFile.publish(partial, as: target, fileSystemHasLinks: fileSystemHasLinks)
      } catch {
        throw StorageError(.cannotOpen, "\(target) cannot be made: \(error.reason)")
      }
      try sync(Folder.parent(of: target))
      return Made(copy: copy, isReadableByOthers: attributes.st_mode & 0o077 != 0)
    }
  }

  /// Reads all of the copy at `path`, to which nobody writes. Throws if it is damaged, another program's, or of a newer version.
  /// - Parameter name: of the file in errors.
  init(reading path: String, called name: String) throws(StorageError) {
    self = try Self.naming(name) {
      var options = ConnectionOptions()
      options.createsFile = false
      options.access = .immutable
      let connection = try Connection(path: path, options: options)
      defer { connection.close() }
      return try StoreCopy(reading: connection, name)
    }
  }

  private init(reading connection: Connection, _ name: String) throws {
    let known = Migrator(embedded: lifesignal_schema_server_migration).migrations.count
    let isOurs: Bool? = try connection.statement(
      "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'server_state')"
    ).value()
    guard isOurs == true else { throw StorageError(.damaged, "\(name) is no copy of a server's database") }
    let version: Int = try connection.statement("PRAGMA user_version").value() ?? 0
    guard version <= known else { throw StorageError(.newerSchema, "\(name) is of a newer version of this program") }
    guard try connection.integrityCheck().isEmpty else { throw StorageError(.damaged, "\(name) is damaged") }
    accounts = try connection.statement("SELECT count(*) FROM accounts").value() ?? 0
    activeAlerts = try connection.statement("SELECT count(*) FROM alerts WHERE ended_at IS NULL").value() ?? 0
  }

  /// Has errors of SQLite say which file they are about.
  private static func naming<Result>(_ path: String, _ body: () throws -> Result) throws(StorageError) -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      let known = StorageError(error)
      let what = known.code == .damaged ? "\(path) is damaged, or no database" : path
      throw StorageError(known.code, "\(what): \(known.message)")
    } catch {
      throw StorageError(any: error)
    }
  }

  static func failure(_ message: String) -> StorageError {
    StorageError(errno == ENOSPC ? .diskFull : .cannotOpen, "\(message): \(String(cString: strerror(errno)))")
  }

  static func sync(_ folder: String) throws(StorageError) {
    do throws(SystemError) {
      try Folder.sync(folder)
    } catch {
      throw StorageError(.inputOutput, "the folder \(folder) cannot be made durable: \(error.reason)")
    }
  }
}
