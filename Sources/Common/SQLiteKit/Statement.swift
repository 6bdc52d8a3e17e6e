import CSQLite
import Glibc
import Model

/// A prepared statement of a `Connection`. Its rows are read with `rows`, `row`, `value` and `hasRow`.
@usableFromInline
package final class Statement {
  private let database: OpaquePointer
  private let handle: OpaquePointer
  /// The columns that were asked for by name, each with the address of that name, which is a literal and never moves.
  // Not checked for overlapping access, which costs a fifth of each column: `columnIndex` calls nothing that calls it.
  @exclusivity(unchecked)
  private var knownColumns: [(name: UnsafePointer<UInt8>, index: Int32)] = []
  /// Where the next column is looked for first: rows are read in the same order each time.
  @exclusivity(unchecked)
  private var nextKnownColumn = 0

  init(database: OpaquePointer, handle: OpaquePointer) {
    self.database = database
    self.handle = handle
  }

  deinit {
    sqlite3_finalize(handle)
  }

  /// Resets the statement and binds all its parameters, in order.
  func bind(_ values: SQLiteValue...) throws(SQLiteError) {
    try bind(all: values)
  }

  /// Resets the statement and binds `values`, in order.
  func bind(all values: [SQLiteValue]) throws(SQLiteError) {
    sqlite3_reset(handle)
    let count = sqlite3_bind_parameter_count(handle)
    guard values.count == count else {
      throw .misuse("\(values.count) values for \(count) parameters")
    }
    for (index, value) in values.enumerated() {
      let code = bind(value, at: Int32(index + 1))
      guard code == SQLITE_OK else { throw error() }
    }
  }

  private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, index)
    case .integer(let integer): return sqlite3_bind_int64(handle, index, integer)
    case .real(let real): return sqlite3_bind_double(handle, index, real)
    case .text(var text):
      return text.withUTF8 { bytes in
        guard let start = bytes.baseAddress else { return lifesignal_sqlite3_bind_text(handle, index, "", 0) }
        return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
          lifesignal_sqlite3_bind_text(handle, index, $0, Int32(clamping: bytes.count))
        }
      }
    case .blob(let bytes):
      guard !bytes.isEmpty else { return sqlite3_bind_zeroblob(handle, index, 0) }
      return lifesignal_sqlite3_bind_blob(handle, index, bytes, Int32(clamping: bytes.count))
    case .id(let high, let low):
      return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: CanonicalUUID.byteCount) { text in
        CanonicalUUID.write((high, low), to: text)
        return text.withMemoryRebound(to: CChar.self) {
          lifesignal_sqlite3_bind_text(handle, index, $0.baseAddress, Int32(CanonicalUUID.byteCount))
        }
      }
    }
  }

  /// Goes to the next row; false after the last, when the statement resets itself.
  package func step() throws(SQLiteError) -> Bool {
    switch sqlite3_step(handle) {
    case SQLITE_ROW: return true
    case SQLITE_DONE:
      sqlite3_reset(handle)
      return false
    default:
      let failure = error()
      sqlite3_reset(handle)
      throw failure
    }
  }

  /// Resets, binds and runs to the end; drops any rows.
  package func run(_ values: SQLiteValue...) throws(SQLiteError) { try run(all: values) }

  package func run(all values: [SQLiteValue]) throws(SQLiteError) {
    try bind(all: values)
    while try step() {}
  }

  /// Releases the rows that were not read. Needed only if a loop over `step()` is left early.
  func reset() {
    sqlite3_reset(handle)
  }

  /// Whether it changes nothing in the file.
  package var isReadOnly: Bool { sqlite3_stmt_readonly(handle) != 0 }

  var sql: String { String(cString: sqlite3_sql(handle)) }

  /// The number of instructions that it has run since the last call.
  func takeWork() -> Int { Int(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

  private func error() -> SQLiteError {
    SQLiteError(database: database)
  }
}

// Columns by name.
extension Statement {
  /// Counts from 0. Throws `SQLITE_MISUSE` where the statement does not have exactly one column of this name.
  @usableFromInline func columnIndex(of name: StaticString) throws(SQLiteError) -> Int32 {
    if nextKnownColumn >= knownColumns.count { nextKnownColumn = 0 }
    for place in knownColumns.indices.suffix(from: nextKnownColumn) where knownColumns[place].name == name.utf8Start {
      nextKnownColumn = place + 1
      return knownColumns[place].index
    }
    for place in knownColumns.indices.prefix(nextKnownColumn) where knownColumns[place].name == name.utf8Start {
      nextKnownColumn = place + 1
      return knownColumns[place].index
    }
    let index = try findColumn(name)
    knownColumns.append((name.utf8Start, index))
    nextKnownColumn = knownColumns.count
    return index
  }

  private func findColumn(_ name: StaticString) throws(SQLiteError) -> Int32 {
    let found = (0..<columnCount).filter { index in
      name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
        sqlite3_stricmp(sqlite3_column_name(handle, index), $0) == 0
      }
    }
    guard found.count == 1 else {
      throw .misuse("\(found.count) columns are named \(name) in: \(sql)")
    }
    return found[0]
  }
}

// The columns of the current row, by position. A null reads as 0 or empty.
extension Statement {
  private var columnCount: Int32 { sqlite3_column_count(handle) }

  /// The column as it is stored.
  private func value(_ column: Int32) -> SQLiteValue {
    switch sqlite3_column_type(handle, column) {
    case SQLITE_INTEGER: .integer(integer(column))
    case SQLITE_FLOAT: .real(real(column))
    case SQLITE_TEXT: .text(text(column))
    case SQLITE_BLOB: .blob(blob(column))
    default: .null
    }
  }

  /// All columns as they are stored, in order.
  package var values: [SQLiteValue] { (0..<columnCount).map { value($0) } }

  @usableFromInline func isNull(_ column: Int32) -> Bool {
    sqlite3_column_type(handle, column) == SQLITE_NULL
  }

  @usableFromInline func integer(_ column: Int32) -> Int64 {
    sqlite3_column_int64(handle, column)
  }

  @usableFromInline func real(_ column: Int32) -> Double {
    sqlite3_column_double(handle, column)
  }

  @usableFromInline func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(handle, column) else { return "" }
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// The id that the column holds, exactly as a store writes it; nil where it holds anything else.
  ///
  /// Another spelling of an id, as one changed bit makes, is found in no other row.
  @usableFromInline func id(_ column: Int32) -> (UInt64, UInt64)? {
    guard let bytes = sqlite3_column_text(handle, column) else { return nil }
    let text = UnsafeBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column)))
    guard let words = CanonicalUUID.words(of: text) else { return nil }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: CanonicalUUID.byteCount) { canonical in
      CanonicalUUID.write(words, to: canonical)
      guard let written = canonical.baseAddress else { return nil }
      return memcmp(written, bytes, CanonicalUUID.byteCount) == 0 ? words : nil
    }
  }

  @usableFromInline func blob(_ column: Int32) -> [UInt8] {
    guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
    return Array(UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
  }
}
