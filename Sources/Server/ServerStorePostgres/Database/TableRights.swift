import PostgresKit
import ServerCore

/// What this user may do with the tables. Missing rights have to show at the start, and not with the first alert that needs them.
enum TableRights {
  static let advice = "grant this user SELECT, INSERT, UPDATE and DELETE on all tables"

  /// Throws with the names of the tables of which a right is missing.
  static func require(_ connection: PostgresConnection) throws {
    var tables: [String] = []
    var batch = PostgresBatch()
    batch.add(
      """
      SELECT relname::text AS name FROM pg_class
      WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
        AND relname <> 'schema_migrations'
        AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
          AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      ORDER BY relname
      """
    ) { rows throws(PostgresError) in tables = try rows.map { row throws(PostgresError) in try row["name"] } }
    try connection.run(batch)
    guard tables.isEmpty else {
      throw StorageError(.cannotOpen, "rights are missing on \(tables.joined(separator: ", ")): \(advice)")
    }
  }
}
