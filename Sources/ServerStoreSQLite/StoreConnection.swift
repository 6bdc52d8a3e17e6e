import SQLiteKit
import ServerCore
import Synchronization

/// One connection to the store's file, used by one thread at a time.
final class StoreConnection: @unchecked Sendable {
  // `mutex` guards `transaction` and all that it holds.
  private let mutex = Mutex(())
  private var transaction: SQLiteServerTransaction?
  private let path: String
  private let options: ConnectionOptions
  private let isWritable: Bool

  init(path: String, options: ConnectionOptions, isWritable: Bool) {
    self.path = path
    self.options = options
    self.isWritable = isWritable
  }

  /// Runs `body` with the connection, which is opened first where there is none. Throws `StorageError`, or what `body`
  /// throws. After an end of a transaction that is in doubt the connection is closed: the next call opens another.
  func use<Result>(_ body: (SQLiteServerTransaction) throws -> Result) throws -> Result {
    var result: Result?
    try mutex.withLock { _ in
      do {
        result = try body(opened())
      } catch let failure as CommitFailure {
        close()
        throw StorageError(failure.error)
      } catch let error as SQLiteError {
        throw StorageError(error)
      }
    }
    guard let result else { throw StorageError(.internalError, "a transaction gave no result") }
    return result
  }

  func shutDown() {
    mutex.withLock { _ in close() }
  }

  private func opened() throws -> SQLiteServerTransaction {
    if let transaction { return transaction }
    let connection = try Connection(path: path, options: options)
    // A write here would not hold the file's lock.
    if !isWritable { try connection.execute("PRAGMA query_only = ON") }
    let opened = SQLiteServerTransaction(connection: connection, isWritable: isWritable)
    transaction = opened
    return opened
  }

  private func close() {
    transaction?.connection.close()
    transaction = nil
  }
}
