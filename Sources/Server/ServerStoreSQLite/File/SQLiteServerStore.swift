import Glibc
import PlantedBugs
import SQLiteKit
import Schema
package import ServerCore
import SystemKit

/// The server's store in one SQLite file.
///
/// One connection writes and others read, each used by one thread at a time. Every write transaction and checkpoint
/// holds `flock` on `<path>-lock`, so a second process may use the same file.
package final class SQLiteServerStore: ServerStore {
  /// After a commit that leaves more pages than this in the log, the log is copied into the file. Requests wait meanwhile: a longer log
  /// makes that rare, and copies pages that changed often only once.
  private let checkpointPages: Int
  private let path: String
  private let options: ConnectionOptions
  /// What opening did to the tables.
  package let schemaUpdate: SchemaUpdate

  let writer: StoreConnection
  private let readers: ReaderPool
  /// How long a write waits for another process.
  private let lockWait = LockWait()
  let lock: StoreFileLock

  /// Opens or creates the file, mode 0600, and migrates its tables. Throws `fileLost` if there was a store that is now
  /// missing or empty, unless `creation` allows a new one.
  /// - Parameters:
  ///   - vfs: the name of a registered SQLite VFS; nil is the default one.
  ///   - updatesBeneathServers: also changes the tables of an earlier version where another process uses them, which may be a server of that
  ///     version. Otherwise throws `busy` there.
  package static func open(
    path: String, vfs: String? = nil, checkpointPages: Int = 4000, creation: StoreCreation = .first,
    updatesBeneathServers: Bool = true
  ) throws(StorageError) -> SQLiteServerStore {
    do {
      let making = StoreMaking(path: path, creation: creation)
      try making.prepareLockFile()
      let lock = try StoreFileLock(path: path + "-lock")
      let options = options(vfs: vfs, .readWrite)
      lock.markAsUsed()
      let update = try lock.hold {
        try making.makeFile(lock: lock.descriptor)
        let update = try migrate(path, options) {
          guard try updatesBeneathServers || !lock.isUsedByAnother() else { throw isOfRunningServer }
        }
        try making.finish(lock: lock.descriptor)
        return update
      }
      return SQLiteServerStore(
        path: path, options, checkpointPages: checkpointPages, lock: lock, schemaUpdate: update)
    } catch {
      throw StorageError(any: error)
    }
  }

  /// Opens the file to read it where nothing can be written, as on a full disk: makes and migrates nothing. Throws if its tables are
  /// not those of this program.
  package static func openToRead(path: String) throws(StorageError) -> SQLiteServerStore {
    do {
      let lock = try StoreFileLock(path: path + "-lock")
      do {
        return try openToRead(path: path, .readWrite, lock)
      } catch {
        // Without a log, and without room for one: nobody writes the file then, unless a server has just begun to.
        guard !hasLog(path), try !lock.isUsedByAnother() else { throw error }
        return try openToRead(path: path, .immutable, lock)
      }
    } catch {
      throw StorageError(any: error)
    }
  }

  private static func openToRead(
    path: String, _ access: ConnectionOptions.Access, _ lock: StoreFileLock
  ) throws -> SQLiteServerStore {
    let store = SQLiteServerStore(
      path: path, options(vfs: nil, access), checkpointPages: .max, lock: lock, schemaUpdate: .none)
    let isCurrent = try store.readers.use { transaction in
      try transaction.connection.read {
        try Migrator(embedded: lifesignal_schema_server_migration).isCurrent(transaction.connection)
      }
    }
    guard isCurrent else {
      throw StorageError(.readOnly, "the tables are those of another version, and cannot be migrated now")
    }
    return store
  }

  private static func hasLog(_ path: String) -> Bool {
    var status = stat()
    return stat(path + "-wal", &status) == 0 && status.st_size > 0
  }

  private static func options(vfs: String?, _ access: ConnectionOptions.Access) -> ConnectionOptions {
    var options = ConnectionOptions()
    options.access = access
    options.vfs = vfs
    options.createsFile = false
    options.cacheKibibytes = 32 << 10
    // Several requests share a commit, each in a savepoint.
    options.keepsTemporariesInMemory = true
    return options
  }

  private init(
    path: String, _ options: ConnectionOptions, checkpointPages: Int, lock: StoreFileLock, schemaUpdate: SchemaUpdate
  ) {
    self.checkpointPages = checkpointPages
    self.path = path
    self.options = options
    self.schemaUpdate = schemaUpdate
    let secret = StoreSecret()
    writer = StoreConnection(path: path, options: options, isWritable: true, secret: secret)
    readers = ReaderPool { [options] in
      StoreConnection(path: path, options: options, isWritable: false, secret: secret)
    }
    self.lock = lock
  }

  package var freeBytes: UInt64? { Folder.freeBytes(at: Folder.parent(of: path)) }

  package func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    if PlantedBug.answeredBeforeCommit.isPlanted { try commitLate() }
    return try readers.use { transaction in
      try transaction.connection.read { try body(transaction) }
    }
  }

  package func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    try writer.use { transaction in
      try holdLock {
        if PlantedBug.answeredBeforeCommit.isPlanted {
          return try transaction.following { try transaction.connection.writeLate { try body(transaction) } }
        }
        try makeDurable(transaction)
        let result = try transaction.following { try transaction.connection.write { try body(transaction) } }
        if transaction.connection.logPages > checkpointPages { checkpoint(transaction.connection) }
        return result
      }
    }
  }

  private func holdLock<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try lock.hold(limitMilliseconds: lockWait.milliseconds) {
        lockWait.note(isBusy: false)
        return try body()
      }
    } catch let error as StorageError where error.code == .busy {
      lockWait.note(isBusy: true)
      throw error
    }
  }

  /// Closes all connections. A later call opens them again.
  package func close() {
    if PlantedBug.answeredBeforeCommit.isPlanted { try? commitLate() }
    readers.shutDown()
    writer.shutDown()
    lock.unmarkAsUsed()
  }

  /// How SQLite finds the rows of each statement that was used so far, as `EXPLAIN QUERY PLAN` tells it: for tests.
  package func queryPlans() throws -> [(sql: String, lines: [String])] {
    var plans: [(sql: String, lines: [String])] = []
    try writer.use { plans += try $0.connection.queryPlans() }
    try readers.useIdle { plans += try $0.connection.queryPlans() }
    return plans
  }

  private static let isOfRunningServer = StorageError(
    .busy,
    "another process uses the database, whose tables this version would change: restart the server with this version first, or "
      + "try again if it was another command")

  /// Migrates on a separate connection, as the file may be empty. Call with the lock held.
  /// - Parameter willUpdate: called before tables are changed of which there are some.
  private static func migrate(
    _ path: String, _ options: ConnectionOptions, willUpdate: () throws -> Void
  ) throws -> SchemaUpdate {
    let connection = try Connection(path: path, options: options)
    defer { connection.close() }
    let isForeign: Bool? = try connection.statement(
      "SELECT EXISTS (SELECT 1 FROM sqlite_schema) AND (SELECT user_version FROM pragma_user_version) = 0"
    ).value()
    guard isForeign != true else { throw StorageError(.cannotOpen, "this is the database of another program") }
    let migrator = Migrator(embedded: lifesignal_schema_server_migration)
    let before: Int = try connection.statement("PRAGMA user_version").value() ?? 0
    let update = SchemaUpdate(from: before, to: migrator.migrations.count)
    if update == .updated { try willUpdate() }
    do throws(MigrationError) {
      try migrator.migrate(connection)
    } catch {
      throw StorageError(migration: error)
    }
    try connection.checkpoint()
    return update
  }

  /// An answer may depend on rows that it found and write nothing, as that of a repeated request: then no commit would sync
  /// them. So the log is copied into the file once after each opening, which syncs both.
  private func makeDurable(_ transaction: SQLiteServerTransaction) throws {
    guard !transaction.seesDurableOnly else { return }
    transaction.seesDurableOnly = try transaction.connection.checkpoint()
  }

  /// Commits are durable without it. A failed checkpoint is retried after the next commit; the
  /// failure shows in the log's growth and in that commit.
  private func checkpoint(_ connection: Connection) {
    _ = try? connection.checkpoint()
  }
}

extension StorageError {
  fileprivate init(migration error: MigrationError) {
    switch error {
    case .newerSchema(let found, let known):
      self.init(.newerSchema, "the store has \(found) migrations and this program knows \(known): use a newer one")
    case .changed(let name):
      self.init(.newerSchema, "the store's migration \(name) is not the one that this program knows")
    case .commit(let error), .sqlite(let error): self.init(error)
    }
  }
}
