import Model
package import SQLiteKit
import ServerCore

/// The transactions of one connection. It lives as long as the connection; writes happen only while the store holds the lock.
package final class SQLiteServerTransaction: ServerTransaction {
  package let connection: Connection
  package let isWritable: Bool
  let keeper = ScheduleKeeper()
  /// Due deliveries that the schedule lacks, because their rows cannot be read.
  var unscheduled: [DeliveryKey] = []
  /// Whether everything that this connection sees is durable. The log may hold transactions that were written but not synced when the
  /// connection was opened: another process may have been killed, or a commit failed, in between.
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

  /// After a failure of the disk nothing that was written can be trusted, and SQLite may have rolled back by itself.
  package func isLost(by error: any Error) -> Bool {
    guard connection.isInTransaction else { return true }
    if error is SQLiteError { return true }
    return (error as? StorageError)?.isOfDisk == true
  }
}

extension SQLiteServerTransaction {
  /// Runs a whole transaction, and commits or rolls back the schedule with it.
  func following<Result>(_ transaction: () throws -> Result) throws -> Result {
    do {
      let result = try transaction()
      keeper.commit()
      return result
    } catch {
      keeper.rollBack()
      throw error
    }
  }
}

/// Runs `body`, and turns an SQLite error into a `StorageError`.
func storing<Result>(_ body: () throws(SQLiteError) -> Result) throws(StorageError) -> Result {
  do {
    return try body()
  } catch {
    throw StorageError(error)
  }
}

extension StorageError {
  /// Converts the error. SQLite's message may name tables and columns, never values.
  init(_ error: SQLiteError) {
    let code: Code =
      switch error.kind {
      case .damaged: .damaged
      case .unreadableValue: .unreadableValue
      case .busy: .busy
      case .diskFull: .diskFull
      case .readOnly: .readOnly
      case .inputOutput: .inputOutput
      case .cannotOpen: .cannotOpen
      case .other: .internalError
      }
    self.init(code, "SQLite \(error.extendedCode): \(error.message)")
  }

  /// Converts any error.
  init(any error: any Error) {
    switch error {
    case let error as StorageError: self = error
    case let error as SQLiteError: self.init(error)
    default: self.init(.internalError, "an unexpected error in the store")
    }
  }
}
