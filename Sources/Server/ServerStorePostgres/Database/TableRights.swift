import PostgresKit
import ServerCore

/// What this user may do with the tables. Missing rights have to show at the start, and not with the first alert that needs them.
enum TableRights {
  static let advice = "grant this user SELECT, INSERT, UPDATE and DELETE on all tables"

  /// Throws with the names of those of the tables of which a right is missing.
  ///
  /// - Parameter known: the program's own: others may have been added by its next version, or lie beside them.
  static func require(on known: [String], _ connection: PostgresConnection) throws {
    var tables: [String] = []
    var batch = PostgresBatch()
    batch.add(
      """
      SELECT relname::text AS name FROM pg_class
      WHERE oid IN (SELECT to_regclass(name) FROM unnest(string_to_array($1, ' ')) AS known (name))
        AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')
          AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))
      ORDER BY relname
      """, .text(known.joined(separator: " "))
    ) { rows throws(PostgresError) in tables = try rows.map { row throws(PostgresError) in try row["name"] } }
    try connection.run(batch)
    guard tables.isEmpty else {
      throw StorageError(.cannotOpen, "rights are missing on \(tables.joined(separator: ", ")): \(advice)")
    }
  }
}
