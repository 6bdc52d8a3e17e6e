package import Schema

/// One numbered step of a schema. Released ones never change.
package struct Migration: Hashable, Sendable {
  /// As its file is called, `m0001_store`.
  package let name: String
  package let sql: String

  package init(name: String, sql: String) {
    self.name = name
    self.sql = sql
  }

  /// FNV-1a (64 bits) of the text, as 16 hexadecimal digits: tells an accidental change, and nothing more.
  package var checksum: String {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in sql.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}

/// Why a schema could not be brought up to date.
package enum MigrationError: Error, Hashable, Sendable {
  /// The file was written by a newer program, with `found` migrations; this one knows `known`.
  case newerSchema(found: Int, known: Int)
  /// A migration that the file has seen reads otherwise in this program.
  case changed(name: String)
  /// The end of a migration is in doubt: it has happened as a whole, or not at all. Opening again continues.
  case commit(SQLiteError)
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

  /// The migrations of a folder of `Schema`, as they are compiled into the program: `file` gives each by its index, and a file without
  /// a name after the last.
  package init(embedded file: (Int32) -> lifesignal_schema_file) {
    var migrations: [Migration] = []
    while case let next = file(Int32(migrations.count)), let name = next.name {
      let text = UnsafeRawBufferPointer(start: next.bytes, count: Int(next.length))
      migrations.append(Migration(name: String(cString: name), sql: String(decoding: text, as: UTF8.self)))
    }
    self.migrations = migrations
  }

  /// Whether there is nothing to do, by the version alone: one pragma.
  package func isCurrent(_ connection: Connection) throws(SQLiteError) -> Bool {
    try version(connection) == migrations.count
  }

  /// Checks the steps applied before and applies the missing ones. Throws `newerSchema` and `changed` before it has
  /// touched anything.
  package func migrate(_ connection: Connection) throws(MigrationError) {
    do {
      try check(connection)
      while try applyNext(connection) {}
    } catch let error as MigrationError {
      throw error
    } catch let error as SQLiteError {
      throw .sqlite(error)
    } catch let failure as CommitFailure {
      throw .commit(failure.error)
    } catch {
      preconditionFailure("a migration threw an error of no known kind")
    }
  }

  private func version(_ connection: Connection) throws(SQLiteError) -> Int {
    let statement = try connection.statement("PRAGMA user_version")
    guard try statement.step() else { return 0 }
    defer { statement.reset() }
    return Int(statement.integer(0))
  }

  private func check(_ connection: Connection) throws {
    let applied = try version(connection)
    guard applied <= migrations.count else {
      throw MigrationError.newerSchema(found: applied, known: migrations.count)
    }
    guard applied > 0 else { return }
    let recorded = try connection.statement("SELECT checksum FROM schema_migrations ORDER BY version")
      .all { $0.text(0) }
    for (index, migration) in migrations.prefix(applied).enumerated() {
      guard index < recorded.count, recorded[index] == migration.checksum else {
        throw MigrationError.changed(name: migration.name)
      }
    }
  }

  /// Applies one missing step; false where there is none. Another process may have been faster: the version counts as
  /// it is inside the transaction.
  private func applyNext(_ connection: Connection) throws -> Bool {
    guard try version(connection) < migrations.count else { return false }
    return try connection.write {
      let applied = try version(connection)
      guard applied < migrations.count else { return false }
      if applied == 0 { try connection.execute(Self.ownTable) }
      let migration = migrations[applied]
      try connection.execute(migration.sql)
      try connection.statement("INSERT INTO schema_migrations (version, name, checksum) VALUES (?, ?, ?)")
        .run(.integer(Int64(applied + 1)), .text(migration.name), .text(migration.checksum))
      try connection.execute("PRAGMA user_version = \(applied + 1)")
      return true
    }
  }

  private static let ownTable = """
    CREATE TABLE schema_migrations (
      version INTEGER PRIMARY KEY NOT NULL,
      name TEXT NOT NULL UNIQUE,
      checksum TEXT NOT NULL
    ) STRICT
    """
}
