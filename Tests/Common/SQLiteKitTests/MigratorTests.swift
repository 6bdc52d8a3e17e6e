import SQLiteKit
import Schema
import Testing

@Suite struct `A migrator` {
  let folder: TemporaryFolder
  let connection: Connection
  let first = Migration(name: "m0001_one", sql: "CREATE TABLE one (a INTEGER) STRICT;")
  let second = Migration(name: "m0002_two", sql: "CREATE TABLE two (a INTEGER) STRICT; INSERT INTO two VALUES (7);")

  init() throws {
    folder = TemporaryFolder()
    connection = try folder.connect()
  }

  @Test func `applies each step once`() throws {
    try Migrator([first]).migrate(connection)
    #expect(try Migrator([first]).isCurrent(connection))
    #expect(try !Migrator([first, second]).isCurrent(connection))
    try Migrator([first, second]).migrate(connection)
    try Migrator([first, second]).migrate(connection)
    #expect(try connection.statement("SELECT count(*) FROM two").value() == 1)
  }

  @Test func `refuses a newer program's file, and leaves it unchanged`() throws {
    try Migrator([first, second]).migrate(connection)
    #expect(throws: MigrationError.newerSchema(found: 2, known: 1)) { try Migrator([first]).migrate(connection) }
    #expect(try connection.statement("SELECT a FROM two").value() == 7)
  }

  @Test func `refuses a step whose text changed after it was applied`() throws {
    try Migrator([first]).migrate(connection)
    let changed = Migration(name: first.name, sql: first.sql + " -- edited")
    #expect(throws: MigrationError.changed(name: "m0001_one")) {
      try Migrator([changed, second]).migrate(connection)
    }
    #expect(throws: MigrationError.changed(name: "m0001_one")) { try Migrator([changed]).migrate(connection) }
  }

  @Test func `rolls back a step that fails halfway`() throws {
    let broken = Migration(name: "m0002_two", sql: "CREATE TABLE two (a INTEGER) STRICT; CREATE TABLE one (b);")
    #expect(throws: MigrationError.self) { try Migrator([first, broken]).migrate(connection) }
    #expect(try Migrator([first]).isCurrent(connection))
    let tables = try connection.statement("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .rows { row in try row["name", as: String.self] }
    #expect(tables == ["one", "schema_migrations"])
    try Migrator([first, second]).migrate(connection)
  }

  @Test func `knows the embedded migrations of both stores, whole and in order`() throws {
    for migrator in [
      Migrator(embedded: lifesignal_schema_client_migration), Migrator(embedded: lifesignal_schema_server_migration),
    ] {
      #expect(migrator.migrations.count >= 3)
      for (index, migration) in migrator.migrations.enumerated() {
        let number = String(index + 1)
        #expect(migration.name.hasPrefix("m" + String(repeating: "0", count: 4 - number.count) + number + "_"))
        #expect(migration.sql.hasSuffix(";\n"))
      }
      try migrator.migrate(Connection(path: Connection.inMemory))
    }
  }
}
