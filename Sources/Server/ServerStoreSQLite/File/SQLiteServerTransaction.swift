import Model
package import SQLiteKit
import ServerCore

/// A transaction on one connection. It lives as long as the connection, and is used while its store holds the lock.
package final class SQLiteServerTransaction: ServerTransaction {
  package let connection: Connection
  package let isWritable: Bool
  let keeper = ScheduleKeeper()
  /// Whether all that this connection sees is durable. What was in the log when it was opened may not be: another process may
  /// have been killed, or a commit have failed, between its write and its sync.
  var seesDurableOnly = false

  init(connection: Connection, isWritable: Bool) {
    self.connection = connection
    self.isWritable = isWritable
  }
}

extension SQLiteServerTransaction {
  package func alone(_ body: () throws -> Void) throws {
    let journalLength = keeper.journalLength
    try connection.statement("SAVEPOINT alone").run()
    do {
      try body()
    } catch {
      guard !isLost(by: error) else { throw error }
      try connection.statement("ROLLBACK TO alone").run()
      try connection.statement("RELEASE alone").run()
      keeper.undo(to: journalLength)
      throw error
    }
    try connection.statement("RELEASE alone").run()
  }

  /// After a failure of the disk nothing that was written is to be trusted; and SQLite rolls back by itself then.
  package func isLost(by error: any Error) -> Bool {
    guard connection.isInTransaction else { return true }
    if error is SQLiteError { return true }
    return (error as? StorageError)?.isOfDisk == true
  }
}

/// Runs `body`, telling an SQLite error as a `StorageError`.
func storing<Result>(_ body: () throws(SQLiteError) -> Result) throws(StorageError) -> Result {
  do {
    return try body()
  } catch {
    throw StorageError(error)
  }
}

extension StorageError {
  /// The same in the words of the seam. SQLite's message may name tables and columns, never values.
  init(_ error: SQLiteError) {
    let code: Code =
      if error.isDamage {
        .damaged
      } else if error.isBusy {
        .busy
      } else if error.isDiskFull {
        .diskFull
      } else if error.isReadOnly {
        .readOnly
      } else if error.isInputOutput {
        .inputOutput
      } else if error.isCannotOpen { .cannotOpen } else { .internalError }
    self.init(code, "SQLite \(error.extendedCode): \(error.message)")
  }

  /// `error` as one of the seam, whatever it was.
  init(any error: any Error) {
    switch error {
    case let error as StorageError: self = error
    case let error as SQLiteError: self.init(error)
    default: self.init(.internalError, "an unexpected error in the store")
    }
  }
}
