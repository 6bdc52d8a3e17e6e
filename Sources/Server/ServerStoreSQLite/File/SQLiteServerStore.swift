import PlantedBugs
import SQLiteKit
import Schema
package import ServerCore

/// The server's store in one SQLite file.
///
/// One connection writes and some read, each used by one thread at a time; every write transaction and checkpoint also
/// holds `flock` on `<path>-lock`, so that a second process is safe beside this one.
package final class SQLiteServerStore: ServerStore {
  /// A log of more pages is written back into the file after the commit that made it so long.
  private let checkpointPages: Int
  private let path: String
  private let options: ConnectionOptions

  let writer: StoreConnection
  private let readers: ReaderPool
  /// How long a write waits for another process.
  private let lockWait = LockWait()
  let lock: StoreFileLock

  /// Opens or makes the file, mode 0600, and brings its tables up to date. Throws `fileLost` where there was a store that
  /// is missing or empty, unless `creation` allows a new one.
  /// - Parameter vfs: the name of a registered SQLite VFS; nil is the default one.
  package static func open(
    path: String, vfs: String? = nil, checkpointPages: Int = 1000, creation: StoreCreation = .first
  ) throws(StorageError) -> SQLiteServerStore {
    do {
      let making = StoreMaking(path: path, creation: creation)
      try making.prepareLockFile()
      let lock = try StoreFileLock(path: path + "-lock")
      let store = SQLiteServerStore(path: path, vfs: vfs, checkpointPages: checkpointPages, lock: lock)
      try lock.hold {
        try making.makeFile(lock: lock.descriptor)
        try store.migrate()
        try making.finish(lock: lock.descriptor)
      }
      return store
    } catch {
      throw StorageError(any: error)
    }
  }

  private init(path: String, vfs: String?, checkpointPages: Int, lock: StoreFileLock) {
    self.checkpointPages = checkpointPages
    var options = ConnectionOptions()
    options.vfs = vfs
    options.createsFile = false
    options.cacheKibibytes = 32 << 10
    self.path = path
    self.options = options
    let secret = StoreSecret()
    writer = StoreConnection(path: path, options: options, isWritable: true, secret: secret)
    readers = ReaderPool { [options] in
      StoreConnection(path: path, options: options, isWritable: false, secret: secret)
    }
    self.lock = lock
  }

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

  /// Ends all connections. A later call opens them again.
  package func close() {
    if PlantedBug.answeredBeforeCommit.isPlanted { try? commitLate() }
    readers.shutDown()
    writer.shutDown()
  }

  /// With the lock held, on a connection of its own: the file may be empty.
  private func migrate() throws {
    let connection = try Connection(path: path, options: options)
    defer { connection.close() }
    let foreign = try connection.statement(
      "SELECT EXISTS (SELECT 1 FROM sqlite_schema) AND (SELECT user_version FROM pragma_user_version) = 0")
    let isForeign = try foreign.step() && foreign.integer(0) != 0
    foreign.reset()
    guard !isForeign else { throw StorageError(.cannotOpen, "this is the database of another program") }
    do throws(MigrationError) {
      try Migrator(embedded: lifesignal_schema_server_migration).migrate(connection)
    } catch {
      throw StorageError(migration: error)
    }
    try connection.checkpoint()
  }

  /// An answer may rest on what is found and write nothing, as that of a request which is sent again: then no commit would sync
  /// what was found. So the log is copied into the file once after each opening, which syncs both.
  private func makeDurable(_ transaction: SQLiteServerTransaction) throws {
    guard !transaction.seesDurableOnly else { return }
    transaction.seesDurableOnly = try transaction.connection.checkpoint()
  }

  /// What was committed is durable already: a checkpoint that fails is tried again after the next commit, and the
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
