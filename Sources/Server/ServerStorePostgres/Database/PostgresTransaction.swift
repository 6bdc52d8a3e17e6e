import Model
import PostgresKit
import ServerCore

/// One transaction on one connection. It begins with its first statement.
final class PostgresTransaction: ServerTransaction {
  let isWritable: Bool
  private let connection: PostgresConnection
  let writer: WriterState
  private var hasBegun = false
  /// Whether something was written that other processes are to hear of.
  var hasMarked = false
  /// Whether the schedule has what other processes changed before this transaction.
  var isFollowed = false
  /// What goes out with the next batch.
  private var pending = PostgresBatch()
  /// How many batches were sent.
  private(set) var roundTrips = 0
  /// Its number among those that write; nil before it is known. One that leaves it in no row leaves it to the next.
  private(set) var version: Int64?
  /// Whether a batch is under way that asks for the number.
  private var awaitsVersion = false
  /// Whether rows have its number.
  var isNumbered = false
  /// Whether a process is alive that reads the rows of the version before. Known once the transaction has begun.
  private(set) var servesOlder = false
  /// When it counted on its process and looked at the counts of others; monotonic milliseconds. Nil where the look before is recent.
  private(set) var lookedAt: Int64?
  /// When it wrote its number where it stays; monotonic milliseconds. Nil where another one did lately.
  private var keptNumberAt: Int64?
  /// What this transaction has found of accounts.
  var found: [AccountID: FoundAccount] = [:]
  /// As far as this transaction has looked.
  var foundFloors: IndexFloors?
  /// Where housekeeping goes on after this transaction.
  var foundHousekeepingFloors: HousekeepingFloors?
  /// Whether it looks beneath the floors.
  lazy var looksWhole: Bool = isWritable && writer.isWholeLookDue
  /// How long that took, in milliseconds.
  var wholeLook: Int64 = 0
  /// Whether it can neither go on nor be committed.
  private var isBroken = false

  /// - Parameter writer: used by transactions that write.
  init(_ connection: PostgresConnection, isWritable: Bool, _ writer: WriterState) {
    self.connection = connection
    self.isWritable = isWritable
    self.writer = writer
  }

  var schedule: ScheduleKeeper { writer.schedule }

  /// Runs the statements in one round trip.
  func run(_ batch: PostgresBatch) throws(StorageError) { try receive(through: try send(batch)) }

  /// Sends the statements, and returns the number with which to `receive` their rows. PostgreSQL runs them meanwhile. Where one fails, the
  /// next `receive`, the end of `alone` or the commit throws.
  func send(_ batch: PostgresBatch) throws(StorageError) -> Int {
    var all = hasBegun ? PostgresBatch() : beginning
    if hasBegun, isWritable, version == nil, !awaitsVersion { addVersion(to: &all) }
    all.append(pending)
    all.append(batch)
    pending = PostgresBatch()
    roundTrips += 1
    do throws(PostgresError) {
      let number = try connection.send(all)
      hasBegun = true
      return number
    } catch {
      hasBegun = connection.isOpen
      throw StorageError(error)
    }
  }

  /// Hands out the rows of all that was sent up to this number.
  func receive(through number: Int) throws(StorageError) {
    do throws(PostgresError) {
      try connection.receive(through: number)
    } catch {
      awaitsVersion = false
      // Where the server is still there, it has begun the transaction.
      hasBegun = connection.isOpen
      throw StorageError(error)
    }
  }

  /// A transaction that reads sees one state. One that writes waits for the one before it, and then sees all that is committed.
  private var beginning: PostgresBatch {
    var batch = PostgresBatch()
    guard isWritable else {
      batch.add("BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY")
      return batch
    }
    batch.add("BEGIN")
    // The lock alone: a row that each transaction changes has a version more for each while anyone keeps an old state of the database in sight.
    batch.add("SELECT id FROM writer WHERE id = 1 FOR UPDATE")
    addVersion(to: &batch)
    addLook(to: &batch)
    return batch
  }

  /// Not in each transaction: rows that change so often grow longer for all while somebody keeps an old state of the database in sight.
  private func addLook(to batch: inout PostgresBatch) {
    guard isLookDue else { return }
    if writer.isNumberDue {
      // Its number, for when the rows with the newest are gone.
      batch.add("UPDATE writer SET version = version + 1 WHERE id = 1") { [self] _ in
        isNumbered = true
        keptNumberAt = writer.clock()
      }
    }
    batch.add(
      "INSERT INTO processes (id, beat, steps) VALUES ($1, 1, $2) ON CONFLICT (id) DO UPDATE SET beat = processes.beat + 1",
      PostgresValue(writer.process), .integer(Self.steps))
    batch.add("SELECT id, beat FROM processes WHERE id <> $1", PostgresValue(writer.process)) {
      [self] rows throws(PostgresError) in
      let now = writer.clock()
      lookedAt = now
      writer.peers.note(
        try rows.map { row throws(PostgresError) in (try row["id", as: ProcessID.self], try row["beat", as: Int64.self])
        },
        at: now)
    }
  }

  /// How many of the tables' steps this program knows.
  private static let steps = Int64(PostgresMigration.embedded().count)

  /// Whether this transaction looks: stays so until its commit.
  var isLookDue: Bool { writer.lookedAt.map { writer.clock() - $0 >= Peers.lookMilliseconds } ?? true }

  /// The processes that are dead; none where this transaction has not looked: they may have come back since.
  var deadPeers: [ProcessID] { lookedAt == nil ? [] : writer.peers.dead }

  /// Begins the transaction, so that its number is known.
  func begin() throws(StorageError) {
    if version == nil { try run(PostgresBatch()) }
  }

  /// The number, as a parameter. For after `begin`: null, which no row may have, before it.
  var changed: PostgresValue { PostgresValue(version) }

  /// One more than the newest that any row has.
  private func addVersion(to batch: inout PostgresBatch) {
    awaitsVersion = true
    batch.add(
      """
      SELECT greatest(version, (SELECT max(changed) FROM account_logs), (SELECT max(changed) FROM deliveries)) + 1 AS version,
        serves_older
      FROM writer WHERE id = 1
      """
    ) { [self] rows throws(PostgresError) in
      let row = try rows.first { row throws(PostgresError) in
        (version: try row["version", as: Int64.self], servesOlder: try row["serves_older", as: Bool.self])
      }
      guard let (number, older) = row else {
        throw PostgresError(.other, "the table \"writer\" has lost its row, without which nothing may be written")
      }
      servesOlder = older
      version = number
      guard number <= writer.version else { return }
      // The database is an older one: restored, or a standby that lacked the last transactions.
      writer.forget()
      writer.version = number - 1
    }
  }

  /// Ends a transaction that has read.
  func end() throws(StorageError) {
    guard hasBegun else { return }
    hasBegun = false
    try finish("COMMIT")
  }

  /// Durable when it returns. After an error of the connection it is unknown whether the commit happened.
  func commit() throws(StorageError) {
    guard roundTrips > 0 else { return }
    guard hasBegun else { throw StorageError(.unreachable, "the connection to the database is lost") }
    hasBegun = false
    guard try finish("COMMIT") == "COMMIT" else {
      throw StorageError(.internalError, "PostgreSQL has undone the transaction")
    }
    // What others changed before it is in the schedule, or is read by the next one that needs it.
    if let version, isFollowed || version == writer.version + 1 { writer.version = isNumbered ? version : version - 1 }
    writer.lookedAt = lookedAt ?? writer.lookedAt
    writer.keptNumberAt = keptNumberAt ?? writer.keptNumberAt
    if let foundHousekeepingFloors { writer.housekeepingFloors = foundHousekeepingFloors }
    if let foundFloors {
      if looksWhole { writer.nextWholeLook = writer.clock() + IndexFloors.pause(afterLook: wholeLook) }
      writer.floors = foundFloors
    }
  }

  /// Undoes everything, unless the connection is lost: then the server does.
  func undo() {
    guard hasBegun, connection.isOpen else { return }
    hasBegun = false
    pending = PostgresBatch()
    do throws(StorageError) {
      try finish("ROLLBACK")
    } catch {
      connection.close()
    }
  }

  @discardableResult
  private func finish(_ statement: String) throws(StorageError) -> String {
    var tag = ""
    var batch = pending
    pending = PostgresBatch()
    batch.add(statement) { tag = $0.tag }
    do throws(PostgresError) {
      try connection.run(batch)
    } catch {
      connection.close()
      throw StorageError(error)
    }
    return tag
  }
}

extension PostgresTransaction {
  package func alone(_ body: () throws -> Void) throws {
    let (journalLength, roundTripsBefore, pendingBefore) = (schedule.journalLength, roundTrips, pending)
    let (isNumberedBefore, foundBefore) = (isNumbered, found)
    let (floorsBefore, housekeepingBefore) = (foundFloors, foundHousekeepingFloors)
    pending.add("SAVEPOINT alone")
    do {
      try body()
      // What fails of it is undone with it.
      if let error = connection.receiveAll() { throw StorageError(error) }
    } catch {
      if roundTrips == roundTripsBefore {
        pending = pendingBefore
      } else if !isLost(by: error) {
        undoToSavepoint()
      }
      (isNumbered, found) = (isNumberedBefore, foundBefore)
      (foundFloors, foundHousekeepingFloors) = (floorsBefore, housekeepingBefore)
      schedule.undo(to: journalLength)
      throw error
    }
    if roundTrips == roundTripsBefore { pending = pendingBefore } else { pending.add("RELEASE SAVEPOINT alone") }
  }

  /// Where it cannot be undone, the transaction is lost.
  private func undoToSavepoint() {
    isFollowed = false
    pending = PostgresBatch()
    // What failed of it is undone too.
    _ = connection.receiveAll()
    var batch = PostgresBatch()
    batch.add("ROLLBACK TO SAVEPOINT alone")
    batch.add("RELEASE SAVEPOINT alone")
    do throws(PostgresError) {
      try connection.run(batch)
    } catch {
      isBroken = true
    }
  }

  package func isLost(by error: any Error) -> Bool { isBroken || !connection.isOpen }
}

extension PostgresTransaction {
  /// The rows of one statement.
  func rows<Value>(
    _ statement: String, _ parameters: PostgresValue..., row: @escaping (PostgresRow) throws(PostgresError) -> Value
  ) throws(StorageError) -> [Value] {
    var values: [Value] = []
    var batch = PostgresBatch()
    batch.add(statement, parameters) { rows throws(PostgresError) in values = try rows.map(row) }
    try run(batch)
    return values
  }

  /// The first row of one statement.
  func row<Value>(
    _ statement: String, _ parameters: PostgresValue..., row: @escaping (PostgresRow) throws(PostgresError) -> Value
  ) throws(StorageError) -> Value? {
    var value: Value?
    var batch = PostgresBatch()
    batch.add(statement, parameters) { rows throws(PostgresError) in value = try rows.first(row) }
    try run(batch)
    return value
  }

  /// The only column of the first row; nil where it is null too.
  func value<Value: PostgresColumnValue>(
    _ statement: String, _ parameters: PostgresValue...
  ) throws(StorageError) -> Value? {
    var value: Value?
    var batch = PostgresBatch()
    batch.add(statement, parameters) { rows throws(PostgresError) in value = try rows.value() }
    try run(batch)
    return value
  }

  /// How many rows the statement changed.
  @discardableResult
  func change(_ statement: String, _ parameters: PostgresValue...) throws(StorageError) -> Int {
    var count = 0
    var batch = PostgresBatch()
    batch.add(statement, parameters) { count = $0.affectedCount }
    try run(batch)
    return count
  }
}
