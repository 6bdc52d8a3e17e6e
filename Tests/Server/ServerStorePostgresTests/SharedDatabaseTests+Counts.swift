import ServerCore
import Testing

@testable import ServerStorePostgres
@testable import StoreContract

extension SharedDatabaseTests {
  private func openCount(_ transaction: any ServerTransaction) throws -> Int {
    var needs = FactNeeds()
    needs.openDeliveryCount = true
    var facts = AccountFacts()
    try transaction.addFacts(needs, of: bench.account, to: &facts)
    return facts.openDeliveryCount
  }

  @Test func `what waits is counted alike, with and without the queue in memory`() throws {
    struct Undo: Error {}
    func expect(_ count: Int, line: Int = #line) throws {
      for (name, store) in [("first", first), ("second", second)] {
        #expect(try store.write { try openCount($0) } == count, "\(name), line \(line)")
        #expect(try store.read { try openCount($0) } == count, "\(name) reads, line \(line)")
      }
    }
    try expect(0)
    try queue(bench.delivery(11, about: 5, to: 7), by: first)
    try expect(1)
    // From here on both have the queue in memory.
    #expect(try nextDue(of: first) == Bench.now)
    #expect(try nextDue(of: second) == Bench.now)
    try queue(bench.delivery(12, about: 5, to: 8), by: second)
    var held = try bench.delivery(13, about: 5, to: 9)
    (held.notice, held.dueAt) = (.deactivated, nil)
    try queue(held, by: first)
    try queue(bench.delivery(14, about: 6, to: 9, of: bench.identifier(2)), by: first)
    try expect(3)
    #expect(try claim(by: second).count == 3)
    try expect(3)
    try first.write { transaction in
      var sent = try #require(try transaction.delivery(bench.identifier(11), of: bench.account))
      (sent.state, sent.dueAt, sent.isLeased) = (.sent, nil, false)
      try transaction.updateDelivery(sent)
      #expect(try openCount(transaction) == 2)
      #expect(throws: Undo.self) {
        try transaction.alone {
          var set = WriteSet(account: bench.account)
          set.newDeliveries = [try bench.delivery(15, about: 5, to: 5)]
          try transaction.apply(set)
          #expect(try openCount(transaction) == 3)
          throw Undo()
        }
      }
      #expect(try openCount(transaction) == 2)
    }
    try expect(2)
  }
}
