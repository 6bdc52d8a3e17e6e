package import PostgresKit
import Schema
package import ServerCore
import SystemKit

/// The server's store in a PostgreSQL database, which several processes may use.
///
/// One transaction writes at a time, whichever process it is of: it holds the lock of the row in `writer` until its commit. What it reads
/// there tells whether another process has written since. Others read meanwhile, each one committed state.
package final class PostgresServerStore: ServerStore {
  private let settings: PostgresSettings
  private let writer: Lock<Writer>
  private let readers = Lock<[PostgresConnection]>([])
  /// How many connections are kept for the next reads.
  private static let idleLimit = 16

  /// Connects, and brings the tables up to date. Throws if the database cannot be reached, or belongs to a newer program.
  package static func open(_ settings: PostgresSettings) throws(StorageError) -> PostgresServerStore {
    let store = PostgresServerStore(settings)
    do {
      let connection = try PostgresConnection(settings)
      try PostgresMigrator(embedded: lifesignal_schema_server_postgres_migration).migrate(connection)
      store.readers.withLock { $0.append(connection) }
    } catch {
      throw StorageError(any: error)
    }
    return store
  }

  private init(_ settings: PostgresSettings) {
    self.settings = settings
    writer = Lock(Writer())
  }

  package func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    let connection = try idleReader() ?? opened()
    defer { keep(connection) }
    let transaction = PostgresTransaction(connection, isWritable: false)
    do {
      let result = try body(transaction)
      try transaction.end()
      return result
    } catch {
      transaction.undo()
      throw error
    }
  }

  package func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    var result: Result?
    try writer.withLock { writer in
      let connection = try writer.connection?.noticed() ?? opened()
      writer.connection = connection
      let transaction = PostgresTransaction(connection, isWritable: true, writer.state)
      do {
        let value = try body(transaction)
        try transaction.commit()
        writer.state.schedule.commit()
        result = value
      } catch {
        transaction.undo()
        writer.state.schedule.rollBack()
        throw error
      }
    }
    guard let result else { throw StorageError(.internalError, "a transaction gave no result") }
    return result
  }

  /// Closes all connections. A later call opens others.
  package func close() {
    readers.withLock { connections in
      for connection in connections { connection.close() }
      connections = []
    }
    writer.withLock { writer in
      writer.connection?.close()
      writer = Writer()
    }
  }

  /// The statements that were used so far: for tests.
  package func statements() -> Set<String> {
    let reading = readers.withLock { $0.flatMap(\.statements) }
    return Set(reading + writer.withLock { $0.connection?.statements ?? [] })
  }

  private func opened() throws(StorageError) -> PostgresConnection {
    do throws(PostgresError) {
      return try PostgresConnection(settings)
    } catch {
      throw StorageError(error)
    }
  }

  private func idleReader() -> PostgresConnection? {
    while let connection = readers.withLock({ $0.popLast() }) {
      if let living = connection.noticed() { return living }
    }
    return nil
  }

  private func keep(_ connection: PostgresConnection) {
    guard connection.isOpen else { return }
    readers.withLock { if $0.count < Self.idleLimit { $0.append(connection) } }
  }

  /// What the one writing transaction of this process uses.
  private struct Writer {
    var connection: PostgresConnection?
    let state = WriterState()
  }
}

/// What stays in memory between the transactions that write, which come one after the other.
final class WriterState: @unchecked Sendable {
  // The lock `PostgresServerStore.writer`, which is held for as long as a transaction writes.
  let schedule = ScheduleKeeper()
  /// The number of the last transaction of this process, as `writer` counts them.
  var version: Int64 = 0
  /// Grows whenever another process has written, so that the schedule is read again.
  var foreignWrites: Int64 = 0
}

extension PostgresConnection {
  /// Itself; nil if the server has ended it.
  fileprivate func noticed() -> PostgresConnection? {
    notice()
    return isOpen ? self : nil
  }
}
