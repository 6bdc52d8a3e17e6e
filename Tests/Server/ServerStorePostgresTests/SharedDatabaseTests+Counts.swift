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
      var sent = try #require(try transaction.delivery(bench.identifier(11)))
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

  /// What others add meanwhile beneath where it is waits for the next round.
  @Test func `a round of housekeeping goes on where its last step ended`() throws {
    func add(_ id: String, expiredAfter seconds: Int64) throws {
      var writes = RequestWrites()
      var code = StoreContract.verification(id, "+12025550123", at: Bench.now)
      code.expiresAt = bench.after(seconds: seconds)
      writes.newVerification = code
      try second.write { try $0.apply(writes) }
    }
    func step() throws -> Int {
      let end = bench.after(seconds: 60)
      let expiry = Expiry(
        codes: end, rateCounts: end, replacedTokens: end, expiredTokens: end, endedSessions: end, endedInbox: end)
      return try first.write { try $0.removeExpired(expiry, limit: 2) }
    }
    for number in 1...3 { try add("v\(number)", expiredAfter: Int64(10 * number)) }
    #expect(try step() == 2)
    try add("v4", expiredAfter: 5)
    try add("v5", expiredAfter: 25)
    #expect(throws: CancellationError.self) {
      try first.write { transaction in
        _ = try transaction.removeExpired(
          Expiry(
            codes: bench.after(seconds: 60), rateCounts: Bench.now, replacedTokens: Bench.now, expiredTokens: Bench.now,
            endedSessions: Bench.now, endedInbox: Bench.now), limit: 1)
        throw CancellationError()
      }
    }
    #expect(try step() == 2, "what was undone is done again, and the one beneath waits")
    #expect(try step() == 0)
    #expect(try step() == 1, "the next round begins anew")
    #expect(try step() == 0)
  }
}
