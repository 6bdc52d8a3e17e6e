import ChildPrograms
import Model
import PostgresKit
import PostgresTesting
import ServerCore
import SystemKit
import Testing

@testable import ServerStorePostgres
@testable import StoreContract

/// Two processes of the server on one database.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct SharedDatabaseTests {
  let subject: PostgresSubject
  let bench: Bench
  let clock = TestClock()
  let (first, second): (PostgresServerStore, PostgresServerStore)
  private let limits = ServerConfiguration(publicURL: "https://server.example").deliveries.inFlight

  init() throws {
    subject = try PostgresSubject()
    bench = Bench(subject)
    let settings = PostgresSubject.settings(subject.database.url)
    first = try PostgresServerStore.open(settings, clock: clock.read)
    second = try PostgresServerStore.open(settings, clock: clock.read)
    try bench.addAccounts()
  }

  func queue(_ delivery: StoredDelivery, by store: PostgresServerStore) throws {
    try store.write {
      var set = WriteSet(account: bench.account)
      set.newDeliveries = [delivery]
      try $0.apply(set)
    }
  }

  /// The ids of what `store` leases now, as a claim does.
  func claim(by store: PostgresServerStore, at now: Timestamp = Bench.now) throws -> [DeliveryID] {
    try store.write { transaction in
      let due = try transaction.dueDeliveries(at: now, limit: 10, inFlight: limits).deliveries
      for delivery in due {
        var claimed = delivery
        claimed.attempts += 1
        claimed.isLeased = true
        claimed.dueAt = now.advanced(byMilliseconds: 60_000)
        try transaction.updateDelivery(claimed)
      }
      return due.map(\.id)
    }
  }

  func nextDue(of store: PostgresServerStore, at now: Timestamp = Bench.now) throws -> Timestamp? {
    try store.write { try $0.nextDue(at: now, inFlight: limits) }
  }

  @Test func `each sees at once what the other has queued, and what it has leased`() throws {
    // Both have read the queue, so that what follows is found by its changes alone.
    #expect(try nextDue(of: first) == nil)
    #expect(try nextDue(of: second) == nil)
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    #expect(try nextDue(of: second) == Bench.now)
    #expect(try claim(by: second) == [bench.identifier(11)])
    #expect(try claim(by: first) == [])
    #expect(try nextDue(of: first) == bench.after(seconds: 60))
    // Its own writes between two of the other's are no gap.
    try queue(bench.delivery(12, about: 5, to: 8), by: first)
    try queue(bench.delivery(13, about: 5, to: 9), by: first)
    try queue(bench.delivery(14, about: 6, to: 9), by: second)
    #expect(Set(try claim(by: first)) == [bench.identifier(12), bench.identifier(13), bench.identifier(14)])
    #expect(try claim(by: second) == [])
  }

  @Test func `a transaction that was undone hides nothing that the other wrote meanwhile`() throws {
    struct Undo: Error {}
    #expect(try nextDue(of: first) == nil)
    _ = try? first.write { transaction in
      _ = try transaction.nextDue(at: Bench.now, inFlight: limits)
      throw Undo()
    }
    try queue(bench.delivery(11, about: 5, to: 7), by: second)
    _ = try? first.write { transaction in
      try transaction.setServerState("a", to: [1])
      throw Undo()
    }
    #expect(try claim(by: first) == [bench.identifier(11)])
  }

  @Test func `what a dead process had leased is due after fifteen seconds, and not before`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    #expect(try claim(by: first) == [bench.identifier(11)])
    for _ in 0..<3 {
      #expect(try claim(by: second) == [])
      clock.advance(seconds: 5)
    }
    #expect(try claim(by: second, at: bench.after(seconds: 15)) == [bench.identifier(11)])
  }

  @Test func `a process that goes on is not taken for dead, however long its lease`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    #expect(try claim(by: first) == [bench.identifier(11)])
    for _ in 0..<10 {
      clock.advance(seconds: 5)
      try first.write { try $0.setServerState("beat", to: [1]) }
      #expect(try claim(by: second, at: bench.after(seconds: 15)) == [])
    }
  }

  @Test func `a process that did not look itself for a while takes nobody for dead`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    #expect(try claim(by: first) == [bench.identifier(11)])
    #expect(try claim(by: second) == [])
    clock.advance(seconds: 30)
    #expect(try claim(by: second, at: bench.after(seconds: 30)) == [])
  }

  @Test func `a start takes over from a process that has said that it ends, and from no other`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    #expect(try claim(by: first) == [bench.identifier(11)])
    try second.write { try $0.endLeases(at: bench.after(seconds: 1)) }
    #expect(try claim(by: second, at: bench.after(seconds: 1)) == [])
    first.close()
    try second.write { try $0.endLeases(at: bench.after(seconds: 1)) }
    #expect(try claim(by: second, at: bench.after(seconds: 1)) == [bench.identifier(11)])
  }

  @Test func `an edit by another process leaves a lease with the process that has it`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    #expect(try claim(by: first) == [bench.identifier(11)])
    try second.write { transaction in
      var delivery = try #require(try transaction.delivery(bench.identifier(11), of: bench.account))
      delivery.isDropped = true
      try transaction.updateDelivery(delivery)
    }
    for _ in 0..<3 {
      #expect(try claim(by: second) == [])
      clock.advance(seconds: 5)
    }
    #expect(try claim(by: second, at: bench.after(seconds: 15)) == [bench.identifier(11)])
  }

  @Test func `each process hears of the accounts that another one changed, and of sessions that ended there`() throws {
    let heard = Lock(OthersChanges())
    let wake = try #require(WakePipe())
    let follower = try #require(
      try second.follow { changes in
        heard.withLock {
          $0.accounts += changes.accounts
          $0.endedSessions += changes.endedSessions
        }
        wake.wakeUp()
      })
    defer { follower.stop() }
    // The first one tells by notifications where it follows too.
    let own = Lock(0)
    let other = try #require(try first.follow { _ in own.withLock { $0 += 1 } })
    defer { other.stop() }
    var writes = RequestWrites()
    writes.newSession = bench.session(41)
    try first.write { try $0.apply(writes) }
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    writes = RequestWrites()
    writes.endedSessions = [SessionEnd(bench.identifier(41), at: Bench.now, endsAlertKey: false)]
    try first.write { try $0.apply(writes) }
    while heard.withLock({ $0.endedSessions.isEmpty }) {
      try #require(wake.wait(until: Deadline(millisecondsFromNow: 20_000)))
      wake.drain()
    }
    #expect(Set(heard.withLock { $0.accounts }) == [bench.account])
    #expect(heard.withLock { $0.endedSessions } == [bench.identifier(41)])
    #expect(own.withLock { $0 } == 0)
  }

  @Test func `a claim that was undone is not given back once another process has made it under the same number`() throws
  {
    struct Undo: Error {}
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    _ = try? first.write { transaction in
      let due = try transaction.dueDeliveries(at: Bench.now, limit: 10, inFlight: limits).deliveries
      #expect(due.map(\.id) == [bench.identifier(11)])
      throw Undo()
    }
    #expect(try claim(by: second) == [bench.identifier(11)])
    let core = try bench.core()
    let target = try #require(try first.read { try $0.delivery(bench.identifier(11), of: bench.account) }).target
    let notMade = DeliveryCompletion(
      id: bench.identifier(11), to: target, attempt: 1, answer: .notSent("the server's store failed"))
    _ = try first.write { try core.completeDeliveries([notMade], at: bench.moment(1), in: $0) }
    let delivery = try first.read { try $0.delivery(bench.identifier(11), of: bench.account) }
    #expect(delivery?.isLeased == true)
    #expect(delivery?.dueAt == bench.after(seconds: 60))
  }

  @Test func `a process that stood still in a transaction takes nobody for dead in it`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    #expect(try claim(by: first) == [bench.identifier(11)])
    #expect(try claim(by: second) == [])
    let claimed = try second.write { transaction in
      try transaction.setServerState("a", to: [1])
      clock.advance(seconds: 29)
      return try transaction.dueDeliveries(at: Bench.now, limit: 10, inFlight: limits).deliveries.count
    }
    #expect(claimed == 0)
  }

  @Test func `what a process brought forward is due for the others too`() throws {
    let late = bench.after(seconds: 86_400)
    try queue(bench.delivery(11, about: 5, to: 7, dueAt: late), by: first)
    #expect(try nextDue(of: second) == late)
    try first.write { try $0.bringForward(dueAfter: bench.after(seconds: 3600), to: Bench.now) }
    #expect(try claim(by: second) == [bench.identifier(11)])
  }

  @Test func `a database that comes back older is read anew`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    #expect(try nextDue(of: first) == Bench.now)
    let connection = try subject.database.connection()
    try connection.execute(
      script:
        "CREATE TABLE earlier AS SELECT changed FROM account_logs; CREATE TABLE queued AS SELECT changed FROM deliveries"
    )
    try first.write { transaction in
      var delivery = try #require(try transaction.delivery(bench.identifier(11), of: bench.account))
      (delivery.state, delivery.dueAt) = (.sent, nil)
      try transaction.updateDelivery(delivery)
    }
    #expect(try nextDue(of: first) == nil)
    // As a restore from before the message was sent.
    try connection.execute(
      script: """
        UPDATE account_logs SET changed = (SELECT max(changed) FROM earlier);
        UPDATE deliveries SET state = 'queued', due_at = \(Bench.now.milliseconds), changed = (SELECT changed FROM queued);
        """)
    #expect(try claim(by: first) == [bench.identifier(11)])
  }

  @Test func `a later transaction has a later number, also after the rows of the newest are gone`() throws {
    func number() throws -> Int64 {
      try first.write { transaction in
        let transaction = try #require(transaction as? PostgresTransaction)
        try transaction.begin()
        return try #require(transaction.version)
      }
    }
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    let newest = try number()
    for table in AccountTable.allCases {
      _ = try first.write { try $0.removeRows(of: bench.account, in: table, limit: 100) }
    }
    #expect(try number() > newest)
  }

  @Test func `a program of the version before counts on from the newest number`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    let connection = try subject.database.connection()
    try connection.execute(script: "UPDATE writer SET version = version + 1 WHERE id = 1")
    var (counted, newest): (Int64?, Int64?)
    var batch = PostgresBatch()
    batch.add("SELECT version FROM writer") { rows throws(PostgresError) in counted = try rows.value() }
    batch.add("SELECT max(changed) FROM account_logs") { rows throws(PostgresError) in newest = try rows.value() }
    try connection.run(batch)
    #expect(try #require(counted) > #require(newest))
    try queue(bench.delivery(12, about: 5, to: 8), by: second)
    #expect(Set(try claim(by: first)) == [bench.identifier(11), bench.identifier(12)])
  }

  /// Each of its versions would stay while anyone keeps an old state of the database in sight.
  @Test func `the row that all who write lock is not changed`() throws {
    func place() throws -> String? {
      var place: String?
      var batch = PostgresBatch()
      batch.add("SELECT ctid::text FROM writer") { rows throws(PostgresError) in place = try rows.value() }
      try subject.database.connection().run(batch)
      return place
    }
    for (number, store) in [first, second].enumerated() {
      try queue(bench.delivery(11 + number, about: 5, to: 7 + number), by: store)
    }
    let before = try place()
    try queue(bench.delivery(13, about: 5, to: 9), by: first)
    _ = try claim(by: second)
    #expect(try place() == before)
  }

  @Test func `a number that only an undone part used is the next one's, which others follow`() throws {
    #expect(try nextDue(of: first) == nil)
    #expect(try nextDue(of: second) == nil)
    try first.write { transaction in
      #expect(throws: CancellationError.self) {
        try transaction.alone {
          var set = WriteSet(account: bench.account)
          set.newDeliveries = [try bench.delivery(11, about: 5, to: 7)]
          try transaction.apply(set)
          throw CancellationError()
        }
      }
      try transaction.setServerState("a", to: [1])
    }
    try queue(bench.delivery(12, about: 5, to: 8), by: second)
    #expect(try nextDue(of: first) == Bench.now)
  }

  @Test func `a failure of the database at the first statement is told as it is, and the transaction can go on`() throws
  {
    try first.write { transaction in
      let error = #expect(throws: StorageError.self) {
        try transaction.alone {
          var writes = RequestWrites()
          writes.newAccount = AccountRecord(
            id: bench.identifier(77), phone: bench.phone(1), epoch: "e", createdAt: Bench.now)
          try transaction.apply(writes)
        }
      }
      #expect(error?.message == "PostgreSQL 23505 in account_phones_pkey")
      #expect(try !transaction.isLost(by: #require(error)))
      try transaction.setServerState("a", to: [7])
    }
    #expect(try second.read { try $0.serverState("a") } == [7])
  }

  @Test func `a code's id with a zero character is unknown, not a failure`() throws {
    let facts = try bench.requestFacts { $0.verification = "a\0b" }
    #expect(facts.verification == nil)
  }

  @Test func `a database without Unicode is refused`() throws {
    let server = try PostgresServer.shared()
    try server.administer("CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'")
    let error = #expect(throws: StorageError.self) {
      try PostgresServerStore.open(PostgresSubject.settings(server.url("latin")))
    }
    #expect(error?.message == "the database has the encoding LATIN1: make one with UTF8")
  }

  @Test func `processes that start together on an empty database make its tables once`() async throws {
    let database = try PostgresServer.shared().newDatabase()
    let settings = PostgresSubject.settings(database.url)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<6 { group.addTask { try PostgresServerStore.open(settings).close() } }
      try await group.waitForAll()
    }
  }

  @Test func `the store goes on after the database has ended its connections`() throws {
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    _ = try first.read { try $0.account(bench.account) }
    try subject.database.server.administer(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '\(subject.database.name)'")
    #expect(try first.read { try $0.account(bench.account) } != nil)
    #expect(try claim(by: first) == [bench.identifier(11)])
  }
}
