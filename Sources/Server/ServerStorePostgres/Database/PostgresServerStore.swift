import Model
package import PostgresKit
package import ServerCore
import SystemKit

/// The server's store in a PostgreSQL database, which several processes may use.
///
/// One transaction writes at a time, whichever process it is of: it holds the lock of the row in `writer` until its commit. What it reads
/// there tells whether another process has written since. Others read meanwhile, each one committed state.
package final class PostgresServerStore: ServerStore {
  private let settings: PostgresSettings
  private let process: ProcessID
  private let clock: @Sendable () -> Int64
  private let writer: Lock<Writer>
  /// What opening did to the tables.
  package let schemaUpdate: SchemaUpdate
  private let marks = Lock<PostgresFollower?>(nil)
  private let readers = Lock<[PostgresConnection]>([])
  /// The writer's is its own, so that it does not wait for the next try of those that read.
  private let (reading, writing) = (Reachability(), Reachability())
  /// How many connections are kept for the next reads.
  private static let idleLimit = 16

  /// Connects, and brings the tables up to date. Throws if the database cannot be reached, belongs to a newer program, or has to be migrated
  /// by a user who may.
  ///
  /// - Parameters:
  ///   - clock: monotonic milliseconds.
  ///   - makesTables: also where there are none. Otherwise throws `cannotOpen` there.
  package static func open(
    _ settings: PostgresSettings, clock: @escaping @Sendable () -> Int64 = { KernelClock.monotonic.milliseconds() },
    makesTables: Bool = true
  ) throws(StorageError) -> PostgresServerStore {
    do {
      let connection = try PostgresConnection(settings)
      try requireUnicode(connection)
      let steps = PostgresMigration.embedded()
      let update = try PostgresMigrator(steps).update(connection)
      if update == .made, !makesTables { throw StorageError(.fileLost, "it holds nothing of a server") }
      if update != .none { try migrate(settings) }
      try TableRights.require(on: steps.flatMap(\.tables), connection)
      let store = PostgresServerStore(settings, clock, update)
      store.keep(connection)
      return store
    } catch let error as PostgresError where error.kind == .forbidden {
      throw StorageError(.cannotOpen, "\(error.message): \(TableRights.advice)")
    } catch {
      throw StorageError(any: error)
    }
  }

  /// Brings the tables up to date, however long that takes. Returns what it did.
  @discardableResult
  package static func migrate(_ settings: PostgresSettings) throws(StorageError) -> SchemaUpdate {
    do {
      let connection = try PostgresConnection(settings.patient)
      defer { connection.close() }
      try requireUnicode(connection)
      let migrator = PostgresMigrator(PostgresMigration.embedded())
      let update = try migrator.update(connection)
      try migrator.migrate(connection)
      return update
    } catch let error as PostgresError where error.kind == .forbidden {
      throw StorageError(
        .cannotOpen,
        "\(error.message): the tables are not yet those of this program. Once, as a user who may make them: "
          + "lifesignal-server --migrate --database URL")
    } catch {
      throw StorageError(any: error)
    }
  }

  private init(
    _ settings: PostgresSettings, _ clock: @escaping @Sendable () -> Int64, _ schemaUpdate: SchemaUpdate
  ) {
    self.settings = settings
    self.schemaUpdate = schemaUpdate
    self.clock = clock
    var random = SystemRandomNumberGenerator()
    process = ProcessID(words: (random.next(), random.next()))
    writer = Lock(Writer(state: WriterState(process, clock)))
  }

  /// Messages and names hold any character.
  private static func requireUnicode(_ connection: PostgresConnection) throws {
    var encoding = ""
    var batch = PostgresBatch()
    batch.add("SELECT current_setting('server_encoding')") { rows throws(PostgresError) in
      encoding = try rows.value() ?? ""
    }
    try connection.run(batch)
    guard encoding == "UTF8" else {
      throw StorageError(.cannotOpen, "the database has the encoding \(encoding): make one with UTF8")
    }
  }

  package func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
    let connection = try idleReader() ?? opened(reading)
    defer { keep(connection) }
    let transaction = PostgresTransaction(connection, isWritable: false, WriterState(process, clock))
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
      let connection = try writer.connection?.noticed() ?? opened(writing)
      writer.connection = connection
      let transaction = PostgresTransaction(connection, isWritable: true, writer.state)
      do {
        // Where it may have to wait for others, it does so first: what came meanwhile shares the transaction.
        if writer.state.peers.areThere { try transaction.begin() }
        let value = try body(transaction)
        try transaction.commit()
        writer.state.schedule.commit()
        if transaction.hasMarked { marks.withLock { $0 }?.tellOthers() }
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

  package func follow(
    _ take: @escaping @Sendable (OthersChanges) -> Void
  ) throws(StorageError) -> (any StoreFollower)? {
    let follower = try PostgresFollower(settings, process, take)
    marks.withLock { $0 = follower }
    return follower
  }

  /// Says that this process is gone, and closes all connections. A later call opens others.
  package func close() {
    marks.withLock { $0 = nil }
    writer.withLock { writer in
      if let connection = writer.connection?.noticed() {
        var farewell = PostgresBatch()
        farewell.add("DELETE FROM processes WHERE id = $1", PostgresValue(process))
        // Where this fails, others notice within seconds that it is gone.
        try? connection.run(farewell)
        connection.close()
      }
      writer = Writer(state: WriterState(process, clock))
    }
    readers.withLock { connections in
      for connection in connections { connection.close() }
      connections = []
    }
  }

  /// The statements that were used so far: for tests.
  package func statements() -> Set<String> {
    let reading = readers.withLock { $0.flatMap(\.statements) }
    return Set(reading + writer.withLock { $0.connection?.statements ?? [] })
  }

  private func opened(_ reachability: Reachability) throws(StorageError) -> PostgresConnection {
    do throws(PostgresError) {
      return try reachability.attempt(clock) { () throws(PostgresError) in try PostgresConnection(settings) }
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
    let state: WriterState
  }
}

/// What stays in memory between the transactions that write, which come one after the other.
final class WriterState: @unchecked Sendable {
  // The lock `PostgresServerStore.writer`, which is held for as long as a transaction writes.
  let process: ProcessID
  let schedule = ScheduleKeeper()
  let clock: @Sendable () -> Int64
  var peers = Peers()
  /// As the last committed transaction that looked has them.
  var floors = IndexFloors()
  /// As the last committed step of housekeeping has left them.
  var housekeepingFloors = HousekeepingFloors()
  /// When a transaction is to look beneath the floors; monotonic milliseconds. Nil: the next one.
  var nextWholeLook: Int64?
  /// When a committed transaction looked at them last; monotonic milliseconds.
  var lookedAt: Int64?
  /// When a committed transaction wrote its number into `writer` last; monotonic milliseconds.
  var keptNumberAt: Int64?
  /// The transaction up to which the schedule has what others changed, as `writer` counts them.
  var version: Int64 = 0

  init(_ process: ProcessID, _ clock: @escaping @Sendable () -> Int64) {
    self.process = process
    self.clock = clock
  }

  /// Rarely: all who write have to find this row among its earlier versions, which stay while anyone keeps an old state in sight.
  private static let keptNumberMilliseconds: Int64 = 60_000

  var isNumberDue: Bool { keptNumberAt.map { clock() - $0 >= Self.keptNumberMilliseconds } ?? true }

  var isWholeLookDue: Bool { nextWholeLook.map { clock() >= $0 } ?? true }

  /// Forgets what it knows of rows: the database is another one.
  func forget() {
    schedule.forget()
    (floors, housekeepingFloors) = (IndexFloors(), HousekeepingFloors())
    (nextWholeLook, keptNumberAt) = (nil, nil)
  }
}

extension PostgresConnection {
  /// Itself; nil if the server has ended it.
  fileprivate func noticed() -> PostgresConnection? {
    notice()
    return isOpen ? self : nil
  }
}
