import ChildPrograms
import PostgresKit
import PostgresTesting
import ServerCore
import StoreContract
import Testing

@testable import ServerStorePostgres

/// The server as a user who owns nothing, and may only read, add, change and remove rows.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct LeastRightsTests {
  private static let user = "lifesignal_runner"

  /// Users are the whole server's: made once.
  private static let made: Result<Void, any Error> = Result {
    try PostgresServer.shared().administer("CREATE ROLE \(user) LOGIN")
    let template = try PostgresSubject.template(.plain)
    try template.server.administer(
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(user)", in: template.name)
  }

  init() throws { try Self.made.get() }

  /// What a store of this user says where it cannot be opened.
  private func refusal(by database: TestDatabase) -> String? {
    let settings = PostgresSubject.settings(database.server.url(database.name, user: Self.user))
    do throws(StorageError) {
      try PostgresServerStore.open(settings).close()
      return nil
    } catch {
      return error.message
    }
  }

  @Test(arguments: StoreContract.clauses)
  func `the rights to rows are enough for`(clause: StoreContract.Clause) throws {
    try clause.run(on: PostgresSubject(user: Self.user))
  }

  @Test func `others are told of changes too`() throws {
    let subject = try PostgresSubject(user: Self.user)
    let follower = try #require(try subject.stores[0].follow { _ in })
    follower.stop()
  }

  @Test func `without rights it says which it needs`() throws {
    let database = try PostgresServer.shared().newDatabase(from: PostgresSubject.template(.plain).name)
    try database.server.administer("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM \(Self.user)", in: database.name)
    #expect(
      refusal(by: database)
        == "PostgreSQL 42501: permission denied for table schema_migrations: grant this user SELECT, INSERT, UPDATE and "
        + "DELETE on all tables")
  }

  @Test func `a table without them is told at the start, and not by the first alert`() throws {
    let database = try PostgresServer.shared().newDatabase(from: PostgresSubject.template(.plain).name)
    try database.server.administer("REVOKE DELETE ON deliveries, alerts FROM \(Self.user)", in: database.name)
    #expect(
      refusal(by: database)
        == "rights are missing on alerts, deliveries: grant this user SELECT, INSERT, UPDATE and DELETE on all tables")
  }

  @Test func `those that a server of the version before has are enough after the newest step`() throws {
    let database = try PostgresServer.shared().newDatabase()
    let connection = try database.connection()
    try PostgresMigrator(Array(PostgresMigration.embedded().dropLast())).migrate(connection)
    try database.server.administer(
      "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO \(Self.user)", in: database.name)
    try PostgresMigrator(PostgresMigration.embedded()).migrate(connection)
    let id = "00000000-0000-4000-8000-000000000001"
    let runner = try PostgresConnection(
      PostgresSubject.settings(database.server.url(database.name, user: Self.user)))
    try runner.execute(
      script: """
        UPDATE writer SET version = version + 1 WHERE id = 1;
        INSERT INTO alerts (account_id, id, ordinal, device_id, started_at, drill, received_at)
          VALUES ('\(id)', '\(id)', 1, '\(id)', 0, false, 0);
        """)
  }

  @Test func `tables that are not the program's need none`() throws {
    #expect(PostgresMigration.embedded().flatMap(\.tables).contains("deliveries"))
    let database = try PostgresServer.shared().newDatabase(from: PostgresSubject.template(.expanded).name)
    let own = PostgresMigration.embedded().flatMap(\.tables).joined(separator: ", ")
    try database.server.administer(
      "GRANT SELECT, INSERT, UPDATE, DELETE ON \(own), schema_migrations TO \(Self.user)", in: database.name)
    #expect(refusal(by: database) == nil)
  }

  @Test func `without tables it says what to do`() throws {
    let database = try PostgresServer.shared().newDatabase()
    #expect(
      refusal(by: database)
        == "PostgreSQL 42501: permission denied for schema public: the tables are not yet those of this program. "
        + "Once, as a user who may make them: lifesignal-server --migrate --database URL")
  }
}
