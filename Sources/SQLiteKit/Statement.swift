import CSQLite

/// A prepared statement of a `Connection`. Parameters and columns count from 0.
///
/// ```swift
/// let statement = try connection.statement("SELECT id, name FROM contacts WHERE account_id = ?")
/// try statement.bind(.text(account))
/// while try statement.step() { names.append(statement.text(1)) }
/// ```
package final class Statement {
  init() {}

  /// Resets the statement and binds all its parameters, in order.
  package func bind(_ values: SQLiteValue...) throws(SQLiteError) { fatalError("not yet") }

  /// Goes to the next row; false after the last, when the statement is reset by itself.
  package func step() throws(SQLiteError) -> Bool { fatalError("not yet") }

  /// Resets, binds and runs to the end, dropping any rows.
  package func run(_ values: SQLiteValue...) throws(SQLiteError) { fatalError("not yet") }

  /// Lets go of the rows not read. Needed only where a loop over `step()` is left early.
  package func reset() { fatalError("not yet") }

  /// Resets, binds, and gives what `row` makes of the first row; nil without one.
  package func first<Result>(_ values: SQLiteValue..., row: (Statement) throws -> Result) throws -> Result? {
    fatalError("not yet")
  }

  /// Resets, binds, and gives what `row` makes of each row.
  package func all<Result>(_ values: SQLiteValue..., row: (Statement) throws -> Result) throws -> [Result] {
    fatalError("not yet")
  }

  // The columns of the current row. A null reads as 0 or empty where the function gives no optional.

  package func isNull(_ column: Int32) -> Bool { fatalError("not yet") }
  package func integer(_ column: Int32) -> Int64 { fatalError("not yet") }
  package func optionalInteger(_ column: Int32) -> Int64? { fatalError("not yet") }
  package func boolean(_ column: Int32) -> Bool { fatalError("not yet") }
  package func real(_ column: Int32) -> Double { fatalError("not yet") }
  package func optionalReal(_ column: Int32) -> Double? { fatalError("not yet") }
  package func text(_ column: Int32) -> String { fatalError("not yet") }
  package func optionalText(_ column: Int32) -> String? { fatalError("not yet") }
  package func blob(_ column: Int32) -> [UInt8] { fatalError("not yet") }
  package func optionalBlob(_ column: Int32) -> [UInt8]? { fatalError("not yet") }
}
