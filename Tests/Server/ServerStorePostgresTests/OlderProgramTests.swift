import ChildPrograms
import Glibc
import Model
import PostgresKit
import PostgresTesting
import ServerCore
import SystemKit
import Testing

@testable import ServerStorePostgres
@testable import StoreContract

/// A process of this program on a database that processes of the version before use too. What those do is done here as they do it, by SQL: they
/// name no steps in `processes`.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct OlderProgramTests {
  private let subject: PostgresSubject
  private let bench: Bench
  private let store: PostgresServerStore
  private let connection: PostgresConnection

  init() throws {
    subject = try PostgresSubject()
    bench = Bench(subject)
    store = try PostgresServerStore.open(PostgresSubject.settings(subject.database.url))
    connection = try subject.database.connection()
    try bench.addAccounts()
  }

  private func value(_ query: String) throws -> Int64? {
    var value: Int64?
    var batch = PostgresBatch()
    batch.add(query) { rows throws(PostgresError) in value = try rows.value() }
    try connection.run(batch)
    return value
  }

  private func olderComes(_ number: Int = 90) throws {
    try connection.execute(script: insertion(number))
  }

  private func insertion(_ number: Int) -> String {
    let id: ProcessID = bench.identifier(number)
    return "INSERT INTO processes (id, beat) VALUES ('\(id)', 1)"
  }

  private func olderGoes() throws {
    try connection.execute(script: "DELETE FROM processes WHERE steps < 7")
  }

  /// Writes a change of the account, and where `tells` a message, heard from the bench's device `seconds` after now.
  private func change(_ sequence: Int64, after seconds: Int64, tells: Bool = true) throws {
    try store.write {
      var set = WriteSet(account: bench.account)
      set.changes = [
        LoggedChange(sequence: sequence, tag: UInt64(sequence), entity: EntityKey(.contact, bench.identifier(21)))
      ]
      set.position = LogPosition(newestSequence: sequence)
      set.contact = WriteSet.DeviceContact(
        device: bench.device, at: bench.after(seconds: seconds), deviceLimit: 4, cursorLimit: 4)
      set.cursors = [CursorClaim(sequence: sequence, tag: UInt64(sequence))]
      if tells { set.newDeliveries = [try bench.delivery(1000 + Int(sequence), about: 5, to: 2000 + Int(sequence))] }
      try $0.apply(set)
    }
  }

  private var lastContact: Timestamp? {
    get throws {
      try store.read { transaction in
        var needs = FactNeeds()
        needs.lastContacts = [bench.device]
        var facts = AccountFacts()
        try transaction.addFacts(needs, of: bench.account, to: &facts)
        return facts.lastContacts[bench.device]
      }
    }
  }

  private var position: LogPosition {
    get throws {
      try store.read { transaction in
        var facts = AccountFacts()
        try transaction.addFacts(FactNeeds(), of: bench.account, to: &facts)
        return facts.position
      }
    }
  }

  private let marked = "SELECT changed FROM account_logs"
  private let contactForOlder = "SELECT max(last_contact_at) FROM device_contacts"
  private let newest = "SELECT max(changed) FROM changes"

  @Test func `what it reads is written while it is alive, and no longer`() throws {
    try change(1, after: 1)
    #expect(try value(marked) == 0)
    #expect(try value(contactForOlder) == nil)
    try olderComes()
    try change(2, after: 2)
    #expect(try value(marked) == value(newest))
    #expect(try value(contactForOlder) == bench.after(seconds: 2).milliseconds)
    try olderGoes()
    try change(3, after: 3)
    #expect(try #require(try value(marked)) < #require(try value(newest)))
    #expect(try value(contactForOlder) == nil)
    #expect(try lastContact == bench.after(seconds: 3))
  }

  @Test func `it finds the newest number, whatever was changed`() throws {
    let seen =
      "SELECT greatest(version, (SELECT max(changed) FROM account_logs), (SELECT max(changed) FROM deliveries)) FROM writer"
    for (sequence, tells) in [(1, true), (2, false), (3, true), (4, false)] as [(Int64, Bool)] {
      try change(sequence, after: sequence, tells: tells)
      #expect(try value(seen) == value(newest))
    }
  }

  @Test func `one that comes back is told of what was changed while it was taken for dead`() throws {
    try change(1, after: 1)
    try olderComes()
    try olderGoes()
    try change(2, after: 2)
    #expect(try #require(try value(marked)) < #require(try value(newest)))
    try olderComes()
    #expect(try value(marked) == value(newest))
    #expect(try value("SELECT count(*) FROM account_logs WHERE changed_by IS NULL") == 1)
  }

  @Test func `one that goes while another comes leaves that one known`() throws {
    try olderComes(90)
    let coming = try subject.database.connection()
    try coming.execute(script: "BEGIN; SELECT id FROM writer WHERE id = 1 FOR UPDATE; \(insertion(91))")
    let going = try subject.database.connection()
    let first: ProcessID = bench.identifier(90)
    let failure = Lock<(any Error)?>(nil)
    let thread = try SystemThread {
      do { try going.execute(script: "DELETE FROM processes WHERE id = '\(first)'") } catch {
        failure.withLock { $0 = error }
      }
    }
    while try value("SELECT count(*) FROM pg_locks WHERE NOT granted") == 0 { sched_yield() }
    try coming.execute(script: "COMMIT")
    thread.join()
    if let failure = failure.withLock({ $0 }) { throw failure }
    #expect(try value("SELECT count(*) FROM processes WHERE steps < 7") == 1)
    #expect(try value("SELECT count(*) FROM writer WHERE serves_older") == 1)
  }

  @Test func `while it lives, refreshed tokens are made as it makes them`() throws {
    func servesOlder() throws -> Bool { try bench.requestFacts { $0.refreshHash = bench.hash(52) }.servesOlder }
    #expect(try !servesOlder())
    let id: ProcessID = bench.identifier(90)
    try connection.execute(script: "INSERT INTO processes (id, beat, steps) VALUES ('\(id)', 1, 10)")
    #expect(try servesOlder())
    try connection.execute(script: "DELETE FROM processes WHERE id = '\(id)'")
    #expect(try !servesOlder())
  }

  @Test func `where it forgets the newest change, its position is not given again`() throws {
    try change(1, after: 1)
    try connection.execute(script: "DELETE FROM changes WHERE sequence = 1")
    #expect(try position.newestSequence == 1 + 65)
    try change(67, after: 2)
    #expect(try position.newestSequence == 67)
  }

  @Test func `where it removes an account, what it does not know goes too`() throws {
    try change(1, after: 1)
    try connection.execute(script: "DELETE FROM accounts")
    #expect(try value("SELECT count(*) FROM last_contacts") == 0)
  }

  @Test func `its tables become ours while it works`() throws {
    let database = try PostgresServer.shared().newDatabase()
    let settings = PostgresSubject.settings(database.url)
    let embedded = PostgresMigration.embedded()
    try PostgresMigrator(Array(embedded.prefix(6))).migrate(PostgresConnection(settings.patient))
    let (account, device) = (bench.account, bench.device)
    let alert: AlertID = bench.identifier(11)
    let older = try database.connection()
    try older.execute(
      script: """
        \(insertion(90));
        INSERT INTO account_logs (account_id, newest_sequence, newest_ordinal, changed) VALUES ('\(account)', 7, 3, 5);
        INSERT INTO changes (account_id, sequence, entity_kind, entity_id, tag) VALUES ('\(account)', 7, 1, '\(alert)', 9);
        INSERT INTO device_contacts (account_id, device_id, last_contact_at) VALUES ('\(account)', '\(device)', 1000);
        """)
    let store = try PostgresServerStore.open(settings)
    defer { store.close() }
    let facts = try store.read { transaction in
      var needs = FactNeeds()
      needs.lastContacts = [device]
      var facts = AccountFacts()
      try transaction.addFacts(needs, of: account, to: &facts)
      return facts
    }
    #expect(facts.position.newestSequence == 7 && facts.newestTag == 9)
    #expect(facts.lastContacts == [device: Timestamp(milliseconds: 1000)])
    try store.write { transaction in
      let transaction = try #require(transaction as? PostgresTransaction)
      try transaction.begin()
      #expect(transaction.servesOlder)
    }
  }

  @Test func `it counts on from the newest number, and finds when the devices of active alerts were heard from`() throws
  {
    try bench.write { $0.newAlerts = [bench.alert(11)] }
    try change(1, after: 5)
    try olderComes()
    #expect(try #require(try value("SELECT version FROM writer")) > #require(try value(newest)))
    #expect(try value(contactForOlder) == bench.after(seconds: 5).milliseconds)
  }

  @Test func `what it writes counts`() throws {
    try change(1, after: 1)
    try olderComes()
    // It was heard from at the older one, which gave the position behind the reserved ones.
    let contact: ContactID = bench.identifier(22)
    let (account, device) = (bench.account, bench.device)
    try connection.execute(
      script: """
        INSERT INTO device_contacts (account_id, device_id, last_contact_at)
          VALUES ('\(account)', '\(device)', \(bench.after(seconds: 7).milliseconds))
          ON CONFLICT (account_id, device_id) DO UPDATE SET last_contact_at = excluded.last_contact_at;
        INSERT INTO changes (account_id, sequence, entity_kind, entity_id, tag)
          SELECT account_id, newest_sequence + 1, 2, '\(contact)', 9 FROM account_logs WHERE account_id = '\(account)';
        UPDATE account_logs SET newest_sequence = newest_sequence + 1;
        """)
    #expect(try lastContact == bench.after(seconds: 7))
    #expect(try position.newestSequence == PositionLimits.reserve + 2)
  }

  @Test func `positions of rows that are gone are not given again`() throws {
    try change(1, after: 1)
    #expect(try position.newestSequence == 1)
    try connection.execute(
      script: "UPDATE account_logs SET newest_sequence = 500, newest_ordinal = 400; DELETE FROM changes")
    #expect(try position == LogPosition(newestSequence: 500, newestOrdinal: 400))
  }

  /// Each of its versions would stay while anyone keeps an old state of the database in sight.
  @Test func `an account's row is not changed by each of its changes`() throws {
    try change(1, after: 1)
    let place = "SELECT ('x' || md5(ctid::text))::bit(63)::bigint FROM account_logs"
    let before = try value(place)
    for sequence in 2...PositionLimits.reserve { try change(sequence, after: sequence) }
    #expect(try value(place) == before)
    try change(PositionLimits.reserve + 2, after: 0)
    #expect(try value(place) != before)
    // Four when old ones were last forgotten, and one since.
    #expect(try value("SELECT count(*) FROM cursors") == 5)
    #expect(try value("SELECT count(*) FROM last_contacts") == 1)
  }

  /// Their entries in the index stay as long as anyone keeps an old state of the database in sight.
  @Test func `who looks for active alerts begins behind those that ended before`() throws {
    try bench.write {
      $0.newAlerts = (11...30).map { bench.alert($0, endedAt: $0 == 28 ? nil : Bench.now) }
      $0.position = LogPosition(newestSequence: 1, newestOrdinal: 30)
    }
    let begin = "SELECT active_from FROM account_logs"
    #expect(try value(begin) == 0)
    try change(PositionLimits.reserve + 2, after: 0)
    #expect(try value(begin) == 28)
    try bench.write { $0.changedAlerts = [bench.alert(28, endedAt: Bench.now)] }
    try change(2 * PositionLimits.reserve + 4, after: 0)
    #expect(try value(begin) == 30)
  }
}
