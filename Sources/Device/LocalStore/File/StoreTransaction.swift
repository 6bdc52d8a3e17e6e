import SQLiteKit

/// A read transaction on the device's store: all its statements see one state.
///
/// A function that only reads is an extension of this class, one that writes is an extension of `StoreTransaction`. So the compiler
/// keeps writes out of a read; a statement that would write all the same is refused when it is run.
class StoreReading {
  fileprivate let connection: Connection

  init(_ connection: Connection) {
    self.connection = connection
  }

  private func query(_ sql: StaticString) throws(SQLiteError) -> Statement {
    let statement = try connection.statement(sql)
    guard statement.isReadOnly else { throw .misuse("this statement writes: \(sql)") }
    return statement
  }

  /// Gives what `row` makes of each row.
  func rows<Result>(
    _ sql: StaticString, _ values: SQLiteValue..., row: (borrowing Row) throws -> Result
  ) throws(SQLiteError) -> [Result] {
    try query(sql).rows(all: values, row: row)
  }

  /// The same without the rows that cannot be read: the others do not wait for them.
  func readableRows<Result>(
    _ sql: StaticString, _ values: SQLiteValue..., row: (borrowing Row) throws -> Result
  ) throws(SQLiteError) -> [Result] {
    try query(sql).readableRows(all: values, row: row)
  }

  /// Gives what `row` makes of the first row; nil without one.
  func row<Result>(
    _ sql: StaticString, _ values: SQLiteValue..., row: (borrowing Row) throws -> Result
  ) throws(SQLiteError) -> Result? {
    try query(sql).row(all: values, row: row)
  }

  /// The first column of the first row; nil without a row, and where it is null.
  func value<Value: ColumnValue>(
    _ sql: StaticString, _ values: SQLiteValue..., as type: Value.Type = Value.self
  ) throws(SQLiteError) -> Value? {
    try query(sql).value(all: values)
  }

  /// Whether there is a row.
  func hasRow(_ sql: StaticString, _ values: SQLiteValue...) throws(SQLiteError) -> Bool {
    try query(sql).hasRow(all: values)
  }

  /// Calls `body` with each row until it says `stop`, or throws.
  func forEachRow(
    _ sql: StaticString, _ values: SQLiteValue..., body: (borrowing Row) throws -> Statement.RowLoop
  ) throws(SQLiteError) {
    try query(sql).forEachRow(all: values, body)
  }

  /// What is wrong with the file; empty where nothing is.
  func integrityCheck() throws(SQLiteError) -> [String] { try connection.integrityCheck() }

  /// How SQLite finds the rows of each statement that was prepared so far: for tests.
  func queryPlans() throws -> [(sql: String, lines: [String])] { try connection.queryPlans() }
}

/// A write transaction on the device's store. What it changes becomes durable when it commits, or not at all.
final class StoreTransaction: StoreReading {
  /// Runs one statement to its end.
  func run(_ sql: StaticString, _ values: SQLiteValue...) throws(SQLiteError) {
    try connection.statement(sql).run(all: values)
  }

  /// Runs several statements without parameters.
  func run(script: String) throws(SQLiteError) {
    try connection.execute(script)
  }

  /// The rows that the last statement changed.
  var changedRows: Int { connection.changedRows }
}
