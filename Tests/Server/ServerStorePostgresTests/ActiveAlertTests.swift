import ChildPrograms
import Model
import PostgresKit
import PostgresTesting
import ServerCore
import Testing

@testable import ServerStorePostgres
@testable import StoreContract

/// Where the look for active alerts begins.
@Suite(.blocking, .timeLimit(.minutes(5)))
struct ActiveAlertTests {
  private struct Undo: Error {}

  private let subject: PostgresSubject
  private let bench: Bench
  private let connection: PostgresConnection

  init() throws {
    subject = try PostgresSubject()
    bench = Bench(subject)
    connection = try subject.database.connection()
    try bench.addAccounts()
  }

  /// What the alert with this ordinal says.
  private func begin(of ordinal: Int) throws -> Int64? {
    var value: Int64?
    var batch = PostgresBatch()
    batch.add("SELECT active_from FROM alerts WHERE ordinal = $1", PostgresValue(ordinal)) {
      rows throws(PostgresError) in value = try rows.value()
    }
    try connection.run(batch)
    return value
  }

  @discardableResult
  private func active(in transaction: any ServerTransaction, limit: Int = 9) throws -> [Int64] {
    var (needs, facts) = (FactNeeds(), AccountFacts())
    needs.activeAlerts = limit
    try transaction.addFacts(needs, of: bench.account, to: &facts)
    return facts.activeAlerts.compactMap { facts.alerts[$0]?.record.ordinal }
  }

  private func active() throws -> [Int64] { try bench.store.read { try active(in: $0) } }

  private func write(_ transaction: any ServerTransaction, _ change: (inout WriteSet) -> Void) throws {
    var writes = WriteSet(account: bench.account)
    change(&writes)
    try transaction.apply(writes)
  }

  /// As an exchange does: who raises an alert has looked which are active.
  private func raise(_ numbers: Int...) throws {
    try bench.store.write { transaction in
      try active(in: transaction)
      try write(transaction) { $0.newAlerts = numbers.map { bench.alert($0) } }
    }
  }

  private func end(_ number: Int) throws {
    try bench.write { $0.changedAlerts = [bench.alert(number, endedAt: Bench.now)] }
  }

  @Test func `is told by the newest alert`() throws {
    try raise(11)
    #expect(try begin(of: 11) == 11)
    try raise(12)
    #expect(try begin(of: 12) == 11)
    #expect(try active() == [12, 11])
    try end(11)
    try raise(13, 14)
    #expect(try begin(of: 13) == 12 && begin(of: 14) == 12)
    for number in 12...14 { try end(number) }
    #expect(try active() == [])
    try raise(15)
    #expect(try begin(of: 15) == 15)
    #expect(try active() == [15])
  }

  @Test func `is unknown to who has not looked, or not at all`() throws {
    try raise(11)
    try bench.write { $0.newAlerts = [bench.alert(12)] }
    #expect(try begin(of: 12) == 0)
    #expect(try active() == [12, 11])
    try bench.store.write { transaction in
      try active(in: transaction, limit: 2)
      try write(transaction) { $0.newAlerts = [bench.alert(13)] }
    }
    #expect(try begin(of: 13) == 0)
    #expect(try active() == [13, 12, 11])
  }

  @Test func `is not taken from what was undone`() throws {
    try raise(11)
    try bench.store.write { transaction in
      try? transaction.alone {
        try write(transaction) { $0.changedAlerts = [bench.alert(11, endedAt: Bench.now)] }
        #expect(try active(in: transaction) == [])
        throw Undo()
      }
      try write(transaction) { $0.newAlerts = [bench.alert(12)] }
    }
    #expect(try active() == [12, 11])
  }

  @Test func `is the account's own where an older program raised the newest alert`() throws {
    try raise(11)
    try end(11)
    try connection.execute(script: "UPDATE alerts SET active_from = 0; UPDATE account_logs SET active_from = 11")
    try raise(12)
    try connection.execute(script: "UPDATE alerts SET active_from = 0")
    #expect(try active() == [12])
  }
}
