import SQLiteKit
import ServerCore

/// The rows of a store, for a store of another kind.
///
/// Each is a JSON object: a number, a text, or null a column; a real number is a text with all its digits, and bytes are a text of `\x` and
/// hexadecimal digits.
package struct StoreRows {
  /// A table, and the columns in its rows.
  package struct Table {
    package let name: String
    package let columns: [String]
    fileprivate let object: String
  }

  /// What the account's key is called where a table names it in another way, or not at all.
  private static let accountKeys = [
    "accounts": "id", "tokens": "(SELECT account_id FROM sessions WHERE sessions.id = tokens.session_id)",
  ]

  package let tables: [Table]
  private let connection: Connection

  init(_ connection: Connection) throws(SQLiteError) {
    self.connection = connection
    // How these tables came to be says nothing elsewhere.
    let names = try connection.statement(
      """
      SELECT name FROM sqlite_schema
      WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'schema_migrations' ORDER BY name
      """
    ).rows { row in try row["name", as: String.self] }
    var tables: [Table] = []
    for name in names { tables.append(try Self.table(name, connection)) }
    self.tables = tables
  }

  private static func table(_ name: String, _ connection: Connection) throws(SQLiteError) -> Table {
    let key = accountKeys[name]
    var pairs = try connection.statement("SELECT name, type FROM pragma_table_info(?)").rows(.text(name)) { row in
      (column: try row["name", as: String.self], value: try value(of: row["name"], type: row["type"]))
    }
    pairs.removeAll { $0.column == key }
    if let key { pairs.append(("account_id", key)) }
    let members = pairs.map { "'\($0.column)', \($0.value)" }
    return Table(name: name, columns: pairs.map(\.column), object: "json_object(\(members.joined(separator: ", ")))")
  }

  private static func value(of column: String, type: String) -> String {
    switch type {
    case "BLOB": "'\\x' || hex(\(column))"
    case "REAL": "iif(\(column) IS NULL, NULL, printf('%!.17g', \(column)))"
    default: column
    }
  }

  /// Calls `take` with the rows of a table, a thousand at a time at most; with none at last, or where there are none.
  package func each(of table: Table, _ take: ([String]) throws -> Void) throws {
    var (part, byteCount) = ([String](), 0)
    var failure: (any Error)?
    try connection.statement(ofNames: "SELECT \(table.object) AS object FROM \(table.name)").forEachRow(all: []) {
      row in
      let object: String = try row["object"]
      part.append(object)
      byteCount += object.utf8.count
      guard part.count == 1000 || byteCount > 1 << 20 else { return .goOn }
      do { try take(part) } catch { failure = error }
      (part, byteCount) = ([], 0)
      return failure == nil ? .goOn : .stop
    }
    if let failure { throw failure }
    try take(part)
  }
}
