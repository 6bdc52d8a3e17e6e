import ChildPrograms
import Model
import PostgresKit
import ServerCore
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

  private func olderComes() throws {
    let id: ProcessID = bench.identifier(90)
    try connection.execute(script: "INSERT INTO processes (id, beat) VALUES ('\(id)', 1)")
  }

  private func olderGoes() throws {
    try connection.execute(script: "DELETE FROM processes WHERE steps < 7")
  }

  /// Writes a change of the account, heard from the bench's device `seconds` after now.
  private func change(_ sequence: Int64, after seconds: Int64) throws {
    try store.write {
      var set = WriteSet(account: bench.account)
      set.changes = [
        LoggedChange(sequence: sequence, tag: UInt64(sequence), entity: EntityKey(.contact, bench.identifier(21)))
      ]
      set.position = LogPosition(newestSequence: sequence)
      set.contact = WriteSet.DeviceContact(
        device: bench.device, at: bench.after(seconds: seconds), deviceLimit: 4, cursorLimit: 4)
      set.cursors = [CursorClaim(sequence: sequence, tag: UInt64(sequence))]
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
    #expect(try value(contactForOlder) == bench.after(seconds: 2).milliseconds)
    #expect(try lastContact == bench.after(seconds: 3))
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
    #expect(try value("SELECT count(*) FROM cursors") == 4)
    #expect(try value("SELECT count(*) FROM last_contacts") == 1)
  }
}
