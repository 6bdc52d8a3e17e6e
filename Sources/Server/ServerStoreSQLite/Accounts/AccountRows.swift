import Model
import SQLiteKit

extension Statement {
  /// A time in milliseconds.
  func timestamp(_ column: Int32) -> Timestamp {
    Timestamp(milliseconds: integer(column))
  }

  func optionalTimestamp(_ column: Int32) -> Timestamp? {
    optionalInteger(column).map(Timestamp.init(milliseconds:))
  }

  /// Throws if the column holds no id: the file is damaged.
  func identifier<Subject>(_ column: Int32) throws(SQLiteError) -> Identifier<Subject> {
    guard let identifier = Identifier<Subject>(text(column)) else {
      throw SQLiteError(extendedCode: SQLiteError.corruptCode, message: "an id in the table is not one")
    }
    return identifier
  }

  /// Runs with the bound values, returns what `row` makes of the first row, and resets.
  func firstRow<Result>(_ row: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result? {
    defer { reset() }
    return try step() ? try row() : nil
  }
}

extension SQLiteError {
  /// `SQLITE_CORRUPT`.
  fileprivate static let corruptCode: Int32 = 11
}
