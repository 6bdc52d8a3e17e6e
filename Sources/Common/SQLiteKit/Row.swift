import CSQLite

/// The current row of a statement, read by column name.
///
/// ```swift
/// let names = try connection.statement("SELECT id, name FROM contacts WHERE account_id = ?")
///   .rows(SQLiteValue(account)) { row in (id: try row["id"] as ContactID, name: try row["name"] as String) }
/// ```
///
/// A name is found in the statement once, and costs nothing for further rows. Readers in other modules are inlined, and so specialized:
/// a list of 500 alerts reads 12,000 columns. It is compared without regard to case, as SQL does.
/// A name that is not a column of the statement, or is one twice, is a mistake in the program: reading it throws `SQLITE_MISUSE`.
@usableFromInline
package struct Row: ~Copyable {
  @usableFromInline let statement: Statement

  init(of statement: Statement) {
    self.statement = statement
  }

  /// Reads a column. Null reads as nil where an optional is asked for, else as 0, false or empty.
  ///
  /// Throws `SQLiteError.isUnreadableValue` where the column holds no such value.
  @inlinable
  package subscript<Value: ColumnValue>(_ name: StaticString, as type: Value.Type = Value.self) -> Value {
    get throws(SQLiteError) {
      let column = Column(statement: statement, index: try statement.columnIndex(of: name))
      guard let value = Value(column) else { throw .unreadableValue(of: name) }
      return value
    }
  }

  /// Reads a value of a closed list. Throws `SQLiteError.isUnreadableValue` where the column holds another one.
  @inlinable
  package func choice<Choice: RawRepresentable>(
    _ name: StaticString, as type: Choice.Type = Choice.self
  ) throws(SQLiteError) -> Choice where Choice.RawValue: ColumnValue {
    guard let choice = Choice(rawValue: try self[name]) else { throw .unreadableValue(of: name) }
    return choice
  }

  package func isNull(_ name: StaticString) throws(SQLiteError) -> Bool {
    statement.isNull(try statement.columnIndex(of: name))
  }

  /// All columns as they are stored, in the statement's order: to copy a row.
  package var values: [SQLiteValue] { statement.values }

  /// The first column; nil where it is null, or holds no such value.
  func first<Value: ColumnValue>() throws(SQLiteError) -> Value? {
    guard !statement.isNull(0) else { return nil }
    guard let value = Value(Column(statement: statement, index: 0)) else {
      throw .unreadableValue(of: "the first column")
    }
    return value
  }
}

/// One column of the current row: valid until the statement's next step.
///
/// Copyable: Swift 6.3.1 crashes in release builds where a value that cannot be copied is made of a borrowed reference.
@usableFromInline
package struct Column {
  @usableFromInline let statement: Statement
  @usableFromInline let index: Int32

  @usableFromInline init(statement: Statement, index: Int32) {
    self.statement = statement
    self.index = index
  }

  @inlinable package var isNull: Bool { statement.isNull(index) }
  // Each is converted as SQLite does, <https://www.sqlite.org/c3ref/column_blob.html>.
  @inlinable package var integer: Int64 { statement.integer(index) }
  @inlinable package var real: Double { statement.real(index) }
  @inlinable package var text: String { statement.text(index) }
  @inlinable package var blob: [UInt8] { statement.blob(index) }
  /// Nil unless it is the canonical text of an id.
  @inlinable package var id: (UInt64, UInt64)? { statement.id(index) }
}

/// A value that a column holds.
@usableFromInline
package protocol ColumnValue {
  /// Reads the column; nil where it holds no such value.
  init?(_ column: borrowing Column)
}

extension Int64: ColumnValue {
  @inlinable package init?(_ column: borrowing Column) { self = column.integer }
}

extension Int: ColumnValue {
  @inlinable package init?(_ column: borrowing Column) { self.init(exactly: column.integer) }
}

extension Double: ColumnValue {
  @inlinable package init?(_ column: borrowing Column) { self = column.real }
}

extension Bool: ColumnValue {
  @inlinable package init?(_ column: borrowing Column) { self = column.integer != 0 }
}

extension String: ColumnValue {
  @inlinable package init?(_ column: borrowing Column) { self = column.text }
}

extension [UInt8]: ColumnValue {
  @inlinable package init?(_ column: borrowing Column) { self = column.blob }
}

extension Optional: ColumnValue where Wrapped: ColumnValue {
  @inlinable package init?(_ column: borrowing Column) {
    if column.isNull {
      self = .none
    } else {
      guard let value = Wrapped(column) else { return nil }
      self = .some(value)
    }
  }
}
