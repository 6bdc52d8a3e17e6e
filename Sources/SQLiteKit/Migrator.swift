/// One numbered step of a schema. Released ones never change.
package struct Migration: Hashable, Sendable {
  /// As its file is called, `m0001_store`.
  package let name: String
  package let sql: String

  package init(name: String, sql: String) {
    self.name = name
    self.sql = sql
  }
}

/// Why a schema could not be brought up to date.
package enum MigrationError: Error, Hashable, Sendable {
  /// The file was written by a newer program, with `found` migrations; this one knows `known`.
  case newerSchema(found: Int, known: Int)
  /// A migration that the file has seen reads otherwise in this program.
  case changed(name: String)
  case sqlite(SQLiteError)
}

/// Brings a database to the newest schema: numbered steps, each in one transaction, each recorded with its checksum.
///
/// `PRAGMA user_version` holds the number of steps applied; the table `schema_migrations` their names and checksums.
package struct Migrator: Sendable {
  package let migrations: [Migration]

  /// `migrations` in order, from the first.
  package init(_ migrations: [Migration]) {
    self.migrations = migrations
  }

  /// Whether there is nothing to do, by the version alone: one pragma.
  package func isCurrent(_ connection: Connection) throws(SQLiteError) -> Bool { fatalError("not yet") }

  /// Checks the steps applied before and applies the missing ones.
  package func migrate(_ connection: Connection) throws(MigrationError) { fatalError("not yet") }
}
