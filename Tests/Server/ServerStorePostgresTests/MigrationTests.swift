import ChildPrograms
import Foundation
import Model
import PostgresKit
import PostgresTesting
import ServerCore
import SystemKit
import Testing

@testable import ServerStorePostgres
@testable import StoreContract

/// How the tables change under programs of two versions. That a program works on tables that the next version has expanded is tried by the
/// whole `StoreContract`.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct MigrationTests {
  private let database: TestDatabase
  private let embedded = PostgresMigration.embedded()

  init() throws { database = try PostgresServer.shared().newDatabase() }

  private func migrate(_ steps: [PostgresMigration]) throws {
    try PostgresMigrator(steps).migrate(PostgresConnection(PostgresSubject.settings(database.url).patient))
  }

  private var contraction: PostgresMigration {
    PostgresMigration(
      "m9999_contraction", "-- oldest program: \(embedded.count + 1)\nALTER TABLE accounts DROP COLUMN name;")
  }

  @Test func `what opening did to the tables is told, and a database without any is made no server's by looking`()
    throws
  {
    let settings = PostgresSubject.settings(database.url)
    let error = #expect(throws: StorageError.self) { try PostgresServerStore.open(settings, makesTables: false) }
    #expect(error?.message == "it holds nothing of a server")
    try migrate(Array(embedded.dropLast()))
    for (update, makesTables) in [(SchemaUpdate.updated, false), (.none, true)] {
      let store = try PostgresServerStore.open(settings, makesTables: makesTables)
      #expect(store.schemaUpdate == update)
      store.close()
    }
    let other = try PostgresServer.shared().newDatabase()
    #expect(try PostgresServerStore.migrate(PostgresSubject.settings(other.url)) == .made)
    #expect(try PostgresServerStore.migrate(PostgresSubject.settings(other.url)) == .none)
  }

  @Test func `a program refuses tables from which a later one has removed what it uses`() throws {
    try migrate(embedded + [contraction])
    let error = #expect(throws: StorageError.self) {
      try PostgresServerStore.open(PostgresSubject.settings(database.url))
    }
    #expect(error?.code == .newerSchema)
    let (all, known) = (embedded.count + 1, embedded.count)
    #expect(
      error?.message
        == "the database has \(all) migrations, and programs that know fewer than \(all) may not use it; this one knows "
        + "\(known): use a newer one")
  }

  @Test func `a table of steps from before they named a program is read, and gets the column with the next step`()
    throws
  {
    try migrate(embedded)
    try database.connection().execute(script: "ALTER TABLE schema_migrations DROP COLUMN oldest_program")
    try PostgresServerStore.open(PostgresSubject.settings(database.url)).close()
    try migrate(embedded + [.later])
    try migrate(embedded + [.later, PostgresMigration("m10000_more", "CREATE TABLE more (id bigint PRIMARY KEY)")])
    try PostgresServerStore.open(PostgresSubject.settings(database.url)).close()
  }

  @Test func `what was removed stays removed for every later step`() throws {
    try migrate(
      embedded + [contraction, PostgresMigration("m10000_more", "CREATE TABLE more (id bigint PRIMARY KEY)")])
    #expect(throws: StorageError.self) { try PostgresServerStore.open(PostgresSubject.settings(database.url)) }
  }

  @Test func `a program refuses tables that were migrated by other steps`() throws {
    try migrate([PostgresMigration("m0001_server", "CREATE TABLE other (id bigint PRIMARY KEY)")])
    let error = #expect(throws: StorageError.self) {
      try PostgresServerStore.open(PostgresSubject.settings(database.url))
    }
    #expect(error?.message == "the database's migration m0001_server is not the one that this program knows")
  }

  @Test func `a step that fails leaves nothing of itself`() throws {
    let failing = PostgresMigration("m9999_failing", "CREATE TABLE half (id bigint); SELECT 1 / 0;")
    #expect(throws: PostgresError.self) { try migrate(embedded + [failing]) }
    try migrate(embedded + [PostgresMigration("m9999_whole", "CREATE TABLE half (id bigint);")])
  }

  @Test func `a step that has to wait for a transaction lets the others through meanwhile`() throws {
    try migrate(embedded)
    let holder = try database.connection()
    try holder.execute(script: "BEGIN; SET idle_in_transaction_session_timeout = 0; SELECT count(*) FROM accounts")
    let failure = Lock<(any Error)?>(nil)
    let migration = try SystemThread {
      do { try migrate(embedded + [.later]) } catch { failure.withLock { $0 = error } }
    }
    // It has tried, which kept others from reading for a moment.
    let other = try database.connection()
    while try other.waitingForLocks() == 0 { sched_yield() }
    try other.execute(script: "SELECT count(*) FROM accounts")
    try holder.execute(script: "COMMIT")
    migration.join()
    if let failure = failure.withLock({ $0 }) { throw failure }
    try other.execute(script: "SELECT language FROM accounts")
  }

  /// What a server's transaction locks, in its order: a row first, then tables that it reads, and some of them once more to change them.
  private static let writing = """
    BEGIN;
    SELECT id FROM writer WHERE id = 1 FOR UPDATE;
    SELECT max(changed) FROM deliveries;
    SELECT max(changed) FROM account_logs;
    INSERT INTO processes (id, beat) VALUES ('\(ProcessID(versionSevenAt: Bench.now, random: (1, 1)))', 1)
      ON CONFLICT (id) DO UPDATE SET beat = processes.beat + 1;
    SELECT count(*) FROM tokens, sessions, accounts, alerts WHERE false;
    UPDATE alerts SET update_count = update_count WHERE false;
    UPDATE deliveries SET changed = changed WHERE false;
    UPDATE tokens SET replaced_at = replaced_at WHERE false;
    UPDATE sessions SET ended_at = ended_at WHERE false;
    COMMIT
    """

  // Several times: what locks in another order meets them in one of three.
  @Test(arguments: 1...4)
  func `an upgrade from the version before fails no transaction of its servers`(time: Int) throws {
    try migrate(Array(embedded.prefix(10)))
    let isDone = Lock(false)
    let failure = Lock<(any Error)?>(nil)
    let writers = try (0..<2).map { _ in
      let connection = try database.connection()
      return try SystemThread {
        while !isDone.withLock({ $0 }), failure.withLock({ $0 }) == nil {
          do { try connection.execute(script: Self.writing) } catch { failure.withLock { $0 = error } }
        }
      }
    }
    defer { for writer in writers { writer.join() } }
    defer { isDone.withLock { $0 = true } }
    try migrate(embedded)
    if let failure = failure.withLock({ $0 }) { throw failure }
  }
}

extension PostgresConnection {
  fileprivate func waitingForLocks() throws -> Int64 {
    var count: Int64?
    var batch = PostgresBatch()
    batch.add("SELECT count(*) FROM pg_locks WHERE NOT granted") { rows throws(PostgresError) in
      count = try rows.value()
    }
    try run(batch)
    return count ?? 0
  }
}

/// What a step may not do while the version before still uses the tables, with an example that each refuses.
@Suite(.blocking) struct MigrationRules {
  private static let contracting =
    #"\b(DROP (TABLE|COLUMN|CONSTRAINT|INDEX)|RENAME|SET NOT NULL|ALTER COLUMN \w+ (SET DATA )?TYPE|ADD CONSTRAINT)\b"#
    + #"|ADD COLUMN \w+ [\w ]*NOT NULL(?! DEFAULT)"#

  /// These drop an index alone, without which the version before finds the same, in a step of their own.
  private static let droppingIndexes: Set = ["m0013_ids"]

  private func objection(to step: PostgresMigration) -> String? {
    guard step.oldestProgram == nil, !Self.droppingIndexes.contains(step.name) else { return nil }
    return step.sql.range(of: Self.contracting, options: [.regularExpression, .caseInsensitive]).map {
      String(step.sql[$0])
    }
  }

  @Test(arguments: [
    "DROP TABLE contacts", "DROP INDEX contacts_by_name", "ALTER TABLE contacts DROP COLUMN name",
    "ALTER TABLE contacts RENAME COLUMN name TO title",
    "ALTER TABLE contacts RENAME TO people", "ALTER TABLE contacts ALTER COLUMN tier SET NOT NULL",
    "ALTER TABLE contacts ALTER COLUMN tier TYPE text", "ALTER TABLE contacts ADD COLUMN title text NOT NULL",
    "ALTER TABLE contacts ADD CONSTRAINT named CHECK (name <> '')",
  ])
  func `what the version before could not bear says which program it needs`(sql: String) {
    #expect(objection(to: PostgresMigration("m0002", sql)) != nil)
    #expect(objection(to: PostgresMigration("m0002", "-- oldest program: 2\n" + sql)) == nil)
  }

  /// An index on a table that may be large already, which an operator cannot make beforehand: writers wait until it is made.
  private func index(in step: PostgresMigration) -> Substring? {
    step.sql.matches(of: /CREATE (?:UNIQUE )?INDEX (?!IF NOT EXISTS)\w+ ON (\w+)/)
      .first { !step.sql.contains("CREATE TABLE \($0.1)") }?.0
  }

  @Test func `an index on a table of an earlier step may be there already`() {
    let index = "INDEX by_name ON contacts (account_id, name)"
    #expect(self.index(in: PostgresMigration("m0002", "CREATE \(index)")) != nil)
    #expect(self.index(in: PostgresMigration("m0002", "CREATE UNIQUE \(index)")) != nil)
    let guarded = index.replacing("INDEX", with: "INDEX IF NOT EXISTS")
    #expect(self.index(in: PostgresMigration("m0002", "CREATE \(guarded)")) == nil)
    #expect(self.index(in: PostgresMigration("m0002", "CREATE TABLE contacts (); CREATE \(index)")) == nil)
  }

  @Test func `every step keeps these rules`() {
    for step in PostgresMigration.embedded() + [.later] {
      #expect(objection(to: step) == nil && index(in: step) == nil, "\(step.name)")
    }
  }
}
