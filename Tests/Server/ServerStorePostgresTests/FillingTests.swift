import ChildPrograms
import PostgresKit
import PostgresTesting
import ServerCore
import SystemKit
import Testing

@testable import ServerStorePostgres

/// `PostgresFilling`, beside other connections. That it takes all of a store along is tried by the tests of `admin move`.
@Suite(.blocking, .timeLimit(.minutes(5))) struct `Filling a database` {
  private let database: TestDatabase
  private let other: PostgresConnection
  private var settings: PostgresSettings { PostgresSubject.settings(database.url) }

  init() throws {
    database = try PostgresServer.shared().newDatabase()
    try PostgresServerStore.open(PostgresSubject.settings(database.url)).close()
    other = try database.connection()
  }

  private func number(_ query: String) throws -> Int64 {
    var number: Int64?
    var batch = PostgresBatch()
    batch.add(query) { rows throws(PostgresError) in number = try rows.value() }
    try database.connection().run(batch)
    return try #require(number)
  }

  @Test func `fails where a server begins on it after the first look`() throws {
    try other.execute(script: "BEGIN; SELECT id FROM writer WHERE id = 1 FOR UPDATE")
    let failure = Lock<StorageError?>(nil)
    let thread = try SystemThread { [settings] in
      do throws(StorageError) {
        try PostgresFilling.fill(settings) { _ in }
      } catch {
        failure.withLock { $0 = error }
      }
    }
    let waiting =
      "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    while try number(waiting) == 0 {}
    try other.execute(script: "INSERT INTO processes (id, beat, steps) VALUES (gen_random_uuid(), 1, 1); COMMIT")
    thread.join()
    #expect(failure.withLock { $0 }?.message == "a server runs on that database: stop it first")
    #expect(try number("SELECT count(*) FROM processes") == 1)
  }

  @Test func `says what to do where nobody knows whether it was done`() throws {
    try other.execute(
      script: """
        CREATE FUNCTION end_session() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
        CREATE CONSTRAINT TRIGGER lost AFTER UPDATE ON writer DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION end_session();
        """)
    let error = #expect(throws: StorageError.self) { try PostgresFilling.fill(settings) { _ in } }
    #expect(error?.code == .unreachable)
    #expect(
      error?.message.hasPrefix("whether everything is in the new database is not known") == true,
      "\(error?.message ?? "")")
  }

  @Test func `goes on after a longer pause than a server's transaction may make`() throws {
    var settings = settings
    settings.idleMilliseconds = 100
    try PostgresFilling.fill(settings) { filling in
      try other.execute(script: "SELECT pg_sleep(1)")
      try filling.add([], to: "accounts", columns: ["account_id", "phone"])
    }
  }
}
