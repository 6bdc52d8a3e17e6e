// How a statement is run for its rows. Each function resets the statement, binds all its parameters in order, and resets it again.
//
// What reads a row throws `SQLiteError` alone; any other error counts as a mistake in the program, and becomes `SQLITE_MISUSE`. (A
// closure cannot say so in its type without saying it at each call: Swift takes a closure with a `try` in it to throw any error.)
extension Statement {
  /// Gives what `row` makes of each row.
  package func rows<Result>(
    _ values: SQLiteValue..., row: (borrowing Row) throws -> Result
  ) throws(SQLiteError) -> [Result] {
    try rows(all: values, row: row)
  }

  package func rows<Result>(
    all values: [SQLiteValue], row: (borrowing Row) throws -> Result
  ) throws(SQLiteError) -> [Result] {
    var results: [Result] = []
    try forEachRow(all: values) {
      results.append(try row($0))
      return .goOn
    }
    return results
  }

  /// The same without the rows that cannot be read: the others do not wait for them.
  package func readableRows<Result>(
    all values: [SQLiteValue], row: (borrowing Row) throws -> Result
  ) throws(SQLiteError) -> [Result] {
    var results: [Result] = []
    try forEachRow(all: values) {
      do {
        results.append(try row($0))
      } catch let error as SQLiteError where error.isUnreadableValue {}
      return .goOn
    }
    return results
  }

  /// Gives what `row` makes of the first row; nil without one.
  package func row<Result>(
    _ values: SQLiteValue..., row: (borrowing Row) throws -> Result
  ) throws(SQLiteError) -> Result? {
    try self.row(all: values, row: row)
  }

  package func row<Result>(
    all values: [SQLiteValue], row: (borrowing Row) throws -> Result
  ) throws(SQLiteError) -> Result? {
    var result: Result?
    try forEachRow(all: values) {
      result = try row($0)
      return .stop
    }
    return result
  }

  /// The first column of the first row; nil without a row, and where it is null.
  package func value<Value: ColumnValue>(
    _ values: SQLiteValue..., as type: Value.Type = Value.self
  ) throws(SQLiteError) -> Value? {
    try value(all: values)
  }

  package func value<Value: ColumnValue>(
    all values: [SQLiteValue], as type: Value.Type = Value.self
  ) throws(SQLiteError) -> Value? {
    var value: Value?
    try forEachRow(all: values) {
      value = try $0.first()
      return .stop
    }
    return value
  }

  /// Whether there is a row.
  package func hasRow(_ values: SQLiteValue...) throws(SQLiteError) -> Bool { try hasRow(all: values) }

  package func hasRow(all values: [SQLiteValue]) throws(SQLiteError) -> Bool {
    try bind(all: values)
    defer { reset() }
    return try step()
  }

  /// What a loop over rows does after one of them.
  package enum RowLoop {
    case goOn
    case stop
  }

  /// Calls `body` with each row until it says `stop`, or throws.
  package func forEachRow(
    all values: [SQLiteValue], _ body: (borrowing Row) throws -> RowLoop
  ) throws(SQLiteError) {
    try bind(all: values)
    defer { reset() }
    let row = Row(of: self)
    while try step() {
      do {
        guard case .goOn = try body(row) else { return }
      } catch let error as SQLiteError {
        throw error
      } catch {
        throw .misuse("reading a row threw an error of another kind")
      }
    }
  }
}
