/// What a database's schema says: the statement of each table, index and trigger, as `sqlite_schema` keeps it.
///
/// SQLite reads these statements whenever a file is opened, and has no checksum over them: a bit that flipped in a column's
/// name is no damage to it, but a table without that column.
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
    let rows = try connection.statement("SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    entries = try Set(rows.all { Entry(type: $0.text(0), name: $0.text(1), table: $0.text(2), sql: $0.text(3)) })
  }

  /// Whether all that `other` says stands here; there may be more.
  package func holds(_ other: SchemaText) -> Bool { entries.isSuperset(of: other.entries) }

  /// Whether every table, index and trigger of `other` is here by its name.
  package func names(all other: SchemaText) -> Bool {
    Set(entries.map { [$0.type, $0.name] }).isSuperset(of: other.entries.map { [$0.type, $0.name] })
  }

  /// Writes these statements over those that a file has for the same names. Nothing is read or written of their rows.
  ///
  /// - Parameter connection: one for salvage; to be closed afterwards, since it knows the schema as it was.
  package func write(to connection: Connection) throws {
    try connection.write {
      let update = try connection.statement(
        "UPDATE sqlite_schema SET tbl_name = ?, sql = ? WHERE type = ? AND name = ?")
      for entry in entries {
        try update.run(.text(entry.table), .text(entry.sql), .text(entry.type), .text(entry.name))
      }
      // Makes whoever has the file open read the schema again.
      let version = try connection.statement("PRAGMA schema_version").first { $0.integer(0) } ?? 0
      try connection.execute("PRAGMA schema_version = \(version + 1)")
    }
  }
}

extension Migrator {
  /// The schema that these migrations make, from one made in memory.
  package func schema() throws -> SchemaText {
    let connection = try Connection(path: Connection.inMemory)
    defer { connection.close() }
    try migrate(connection)
    return try SchemaText(of: connection)
  }
}
