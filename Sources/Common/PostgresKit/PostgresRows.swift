import CPostgres

/// The rows that a statement gave, and how many it changed. Valid while the batch hands them out.
package struct PostgresRows {
  private let result: OpaquePointer
  private let columns = Columns()

  init(_ result: OpaquePointer) { self.result = result }

  package var count: Int { Int(lifesignal_PQntuples(result)) }

  /// How many rows the statement inserted, updated, deleted or selected.
  package var affectedCount: Int { Int(String(cString: lifesignal_PQcmdTuples(result))) ?? 0 }

  /// What the server says that it did, such as `COMMIT`.
  package var tag: String { String(cString: lifesignal_PQcmdStatus(result)) }

  package subscript(index: Int) -> PostgresRow { PostgresRow(result, Int32(index), columns) }

  package func map<Value>(
    _ body: (PostgresRow) throws(PostgresError) -> Value
  ) throws(PostgresError) -> [Value] {
    var values: [Value] = []
    values.reserveCapacity(count)
    for index in 0..<count { values.append(try body(self[index])) }
    return values
  }

  /// Nil if there is no row.
  package func first<Value>(
    _ body: (PostgresRow) throws(PostgresError) -> Value
  ) throws(PostgresError) -> Value? {
    count > 0 ? try body(self[0]) : nil
  }

  /// The only column of the first row; nil if there is no row, or it is null.
  package func value<Value: PostgresColumnValue>(_ type: Value.Type = Value.self) throws(PostgresError) -> Value? {
    guard count > 0 else { return nil }
    guard let value = Value?(PostgresRow(result, 0, columns).column(0)) else {
      throw .unreadableValue(of: "of the first value")
    }
    return value
  }
}

/// One row, read by column name.
///
/// A name that is no column of the statement is a mistake in the program: reading it throws. Readers in other modules are inlined, and so
/// specialized: a message is twenty columns, and is read three times.
@usableFromInline
package struct PostgresRow {
  private let result: OpaquePointer
  private let index: Int32
  private let columns: Columns

  fileprivate init(_ result: OpaquePointer, _ index: Int32, _ columns: Columns) {
    self.result = result
    self.index = index
    self.columns = columns
  }

  /// Reads a column. Throws where it holds no such value; null is one where an optional is asked for.
  @inlinable
  package subscript<Value: PostgresColumnValue>(_ name: StaticString, as type: Value.Type = Value.self) -> Value {
    get throws(PostgresError) {
      guard let value = Value(try column(name)) else { throw .unreadableValue(of: name) }
      return value
    }
  }

  /// Reads a value of a closed list. Throws where the column holds another one.
  @inlinable package func choice<Choice: RawRepresentable>(
    _ name: StaticString, as type: Choice.Type = Choice.self
  ) throws(PostgresError) -> Choice where Choice.RawValue: PostgresColumnValue {
    guard let choice = Choice(rawValue: try self[name]) else { throw .unreadableValue(of: name) }
    return choice
  }

  package func isNull(_ name: StaticString) throws(PostgresError) -> Bool { try column(name).bytes == nil }

  @usableFromInline func column(_ name: StaticString) throws(PostgresError) -> PostgresColumn {
    column(try columns.numbers.number(of: name, in: result))
  }

  fileprivate func column(_ number: Int32) -> PostgresColumn {
    guard lifesignal_PQgetisnull(result, index, number) == 0 else { return PostgresColumn(bytes: nil) }
    let length = Int(lifesignal_PQgetlength(result, index, number))
    return PostgresColumn(
      bytes: UnsafeRawBufferPointer(start: lifesignal_PQgetvalue(result, index, number), count: length))
  }
}

/// Of one result, for all its rows.
private final class Columns {
  var numbers = ColumnNumbers()
}

/// Where each column of a result is, found once.
private struct ColumnNumbers {
  private var known: [(name: UnsafePointer<UInt8>, number: Int32)] = []
  /// The place of the name that is asked for next, where each row is read in the same order.
  private var next = 0

  mutating func number(of name: StaticString, in result: OpaquePointer) throws(PostgresError) -> Int32 {
    let place = next < known.count && known[next].name == name.utf8Start ? next : try place(of: name, in: result)
    next = place + 1 < known.count ? place + 1 : 0
    return known[place].number
  }

  private mutating func place(of name: StaticString, in result: OpaquePointer) throws(PostgresError) -> Int {
    if let place = known.firstIndex(where: { $0.name == name.utf8Start }) { return place }
    let number = name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
      lifesignal_PQfnumber(result, $0)
    }
    guard number >= 0 else { throw PostgresError(.other, "the statement gives no column \(name)") }
    known.append((name.utf8Start, number))
    return known.count - 1
  }
}

/// One column of a row, in PostgreSQL's binary format.
@usableFromInline
package struct PostgresColumn {
  /// Nil where it is null.
  @usableFromInline package let bytes: UnsafeRawBufferPointer?

  /// Nil where it holds none.
  @usableFromInline package var integer: Int64? {
    guard let bytes else { return nil }
    return switch bytes.count {
    case 8: Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
    case 4: Int64(Int32(bigEndian: bytes.loadUnaligned(as: Int32.self)))
    case 2: Int64(Int16(bigEndian: bytes.loadUnaligned(as: Int16.self)))
    default: nil
    }
  }
}

/// A value that a column holds.
@usableFromInline
package protocol PostgresColumnValue {
  /// Nil where the column holds no such value.
  init?(_ column: PostgresColumn)
}

extension Int64: PostgresColumnValue {
  /// A `bigint`, `integer` or `smallint`.
  @inlinable package init?(_ column: PostgresColumn) {
    guard let value = column.integer else { return nil }
    self = value
  }
}

extension Int: PostgresColumnValue {
  @inlinable package init?(_ column: PostgresColumn) {
    guard let value = Int64(column) else { return nil }
    self.init(exactly: value)
  }
}

extension Double: PostgresColumnValue {
  @inlinable package init?(_ column: PostgresColumn) {
    guard let bytes = column.bytes, bytes.count == 8 else { return nil }
    self.init(bitPattern: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)))
  }
}

extension Bool: PostgresColumnValue {
  @inlinable package init?(_ column: PostgresColumn) {
    guard let bytes = column.bytes, bytes.count == 1 else { return nil }
    self = bytes[0] != 0
  }
}

extension String: PostgresColumnValue {
  @inlinable package init?(_ column: PostgresColumn) {
    guard let bytes = column.bytes else { return nil }
    self.init(validating: bytes, as: UTF8.self)
  }
}

extension [UInt8]: PostgresColumnValue {
  @inlinable package init?(_ column: PostgresColumn) {
    guard let bytes = column.bytes else { return nil }
    self.init(bytes)
  }
}

extension Optional: PostgresColumnValue where Wrapped: PostgresColumnValue {
  @inlinable package init?(_ column: PostgresColumn) {
    guard column.bytes != nil else {
      self = .none
      return
    }
    guard let value = Wrapped(column) else { return nil }
    self = .some(value)
  }
}
