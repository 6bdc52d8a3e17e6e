import SQLiteKit
import ServerCore
import SystemKit

/// One connection to the store's file, used by one thread at a time.
final class StoreConnection: @unchecked Sendable {
  // `mutex` guards `opened` and all that it holds.
  private let mutex = Lock(())
  private var opened: (transaction: SQLiteServerTransaction, files: StoreFiles)?
  private let path: String
  private let options: ConnectionOptions
  private let isWritable: Bool
  private let secret: StoreSecret

  /// `secret` is shared by the connections of one store.
  init(path: String, options: ConnectionOptions, isWritable: Bool, secret: StoreSecret) {
    self.path = path
    self.options = options
    self.isWritable = isWritable
    self.secret = secret
  }

  /// Runs `body` with the connection, and opens it first if needed. Throws `StorageError`, or what `body` throws.
  ///
  /// Checks that a commit went into the file at the path, and throws `fileLost` otherwise. After that, and
  /// after every failure of the disk, the connection is closed and the next call opens another: a connection that SQLite opened
  /// while the file was read-only would stay read-only.
  func use<Result>(_ body: (SQLiteServerTransaction) throws -> Result) throws -> Result {
    var result: Result?
    try mutex.withLock { _ in
      do {
        let (transaction, files) = try open()
        try files.check()
        let value = try body(transaction)
        if isWritable, transaction.connection.logPages > 0 { try files.checkCommit() }
        if !secret.isKnown { try secret.check(transaction) }
        result = value
      } catch let failure as CommitFailure {
        close()
        throw StorageError(failure.error)
      } catch let error as SQLiteError {
        try fail(StorageError(error))
      } catch let error as StorageError {
        try fail(error)
      }
    }
    guard let result else { throw StorageError(.internalError, "a transaction gave no result") }
    return result
  }

  func shutDown() {
    mutex.withLock { _ in close() }
  }

  private func open() throws -> (transaction: SQLiteServerTransaction, files: StoreFiles) {
    if let opened { return opened }
    let files = try StoreFiles(path)
    let connection = try Connection(path: path, options: options)
    // A write here would not hold the file's lock.
    if !isWritable { try connection.execute("PRAGMA query_only = ON") }
    let transaction = SQLiteServerTransaction(connection: connection, isWritable: isWritable)
    try secret.check(transaction)
    opened = (transaction, files)
    return (transaction, files)
  }

  private func fail(_ error: StorageError) throws {
    if error.isOfDisk { close() }
    throw error
  }

  private func close() {
    opened?.transaction.connection.close()
    opened = nil
  }
}

/// The secret of the store that was opened first. A file with another secret belongs to another server.
final class StoreSecret: Sendable {
  private let known = Lock<[UInt8]?>(nil)

  /// False until the store has one. It is written right after the tables are created.
  var isKnown: Bool { known.withLock { $0 != nil } }

  /// Throws `fileLost` if the store's secret has changed. A store without tables has none yet.
  func check(_ transaction: SQLiteServerTransaction) throws {
    guard try transaction.hasTables() else {
      guard known.withLock({ $0 }) == nil else { throw StorageError(.fileLost, "the database file has no tables") }
      return
    }
    let found = try transaction.serverState("secret")
    let isSame = known.withLock { known in
      if known == nil { known = found }
      return known == found
    }
    guard isSame else { throw StorageError(.fileLost, "the database file is another server's") }
  }
}

extension SQLiteServerTransaction {
  /// Whether the server's tables exist.
  fileprivate func hasTables() throws -> Bool {
    try connection.statement("SELECT 1 FROM sqlite_schema WHERE name = 'server_state'").hasRow()
  }
}

extension StorageError {
  /// After such an error the connection must not be used any more.
  var isOfDisk: Bool {
    switch code {
    case .cannotOpen, .diskFull, .readOnly, .inputOutput, .damaged, .fileLost: true
    case .newerSchema, .networkFilesystem, .busy, .unreadableValue, .unreachable, .internalError: false
    }
  }
}
