/// The text of a database's schema: the statement of each table, index and trigger, as `sqlite_schema` keeps it.
///
/// SQLite parses these statements whenever a file is opened, and has no checksum over them: to SQLite a flipped bit in a column's name is
/// no damage, but a table without that column.
package struct SchemaText: Hashable, Sendable {
  struct Entry: Hashable, Sendable {
    let type: String
    let name: String
    let table: String
    let sql: String
  }

  let entries: Set<Entry>

  /// Reads the schema of an open file.
  package init(of connection: Connection) throws {
    let schema = try connection.statement("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    entries = Set(
      try schema.rows { row in
        Entry(type: try row["type"], name: try row["name"], table: try row["tbl_name"], sql: try row["sql"])
      })
  }

  /// Whether every entry of `other` is here; there may be more.
  package func holds(_ other: SchemaText) -> Bool { entries.isSuperset(of: other.entries) }

  /// Whether every table, index and trigger of `other` is here by name.
  package func names(all other: SchemaText) -> Bool {
    Set(entries.map { [$0.type, $0.name] }).isSuperset(of: other.entries.map { [$0.type, $0.name] })
  }

  /// Replaces a file's statements of the same names by these. Rows are neither read nor written.
  ///
  /// - Parameter connection: one for salvage. Close it afterwards: it has parsed the old schema.
  package func write(to connection: Connection) throws {
    try connection.write {
      let update = try connection.statement(
        "UPDATE sqlite_schema SET tbl_name = ?, sql = ? WHERE type = ? AND name = ?")
      for entry in entries {
        try update.run(.text(entry.table), .text(entry.sql), .text(entry.type), .text(entry.name))
      }
      // Makes open connections read the schema again.
      let version: Int64 = try connection.statement("PRAGMA schema_version").value() ?? 0
      try connection.execute("PRAGMA schema_version = \(version + 1)")
    }
  }
}

extension Migrator {
  /// The schema that these migrations create, by applying them in memory.
  package func schema() throws -> SchemaText {
    let connection = try Connection(path: Connection.inMemory)
    defer { connection.close() }
    try migrate(connection)
    return try SchemaText(of: connection)
  }
}
