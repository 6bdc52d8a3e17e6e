import Model
import ServerCore
import Testing

@testable import ServerStorePostgres
@testable import StoreContract

// What a step of housekeeping removed is not walked through by the next. What others add meanwhile beneath where it is waits for the next round.
extension SharedDatabaseTests {
  private func addCode(_ id: String, expiredAfter seconds: Int64) throws {
    var writes = RequestWrites()
    var code = StoreContract.verification(id, "+12025550123", at: Bench.now)
    code.expiresAt = bench.after(seconds: seconds)
    writes.newVerification = code
    try second.write { try $0.apply(writes) }
  }

  /// What a round removes that began `seconds` after the others.
  private func expiry(after seconds: Int64 = 0) -> Expiry {
    let end = bench.after(seconds: 60 + seconds)
    return Expiry(
      codes: end, rateCounts: end, replacedTokens: end, expiredTokens: end, endedSessions: end, endedInbox: end)
  }

  private func step(after seconds: Int64 = 0) throws -> Int {
    try first.write { try $0.removeExpired(expiry(after: seconds), limit: 2) }
  }

  @Test func `a round of housekeeping goes on where its last step ended`() throws {
    for number in 1...3 { try addCode("v\(number)", expiredAfter: Int64(10 * number)) }
    #expect(try step() == 2)
    try addCode("v4", expiredAfter: 5)
    try addCode("v5", expiredAfter: 25)
    #expect(throws: CancellationError.self) {
      try first.write { transaction in
        _ = try transaction.removeExpired(expiry(), limit: 2)
        throw CancellationError()
      }
    }
    try first.write { transaction in
      #expect(throws: CancellationError.self) {
        try transaction.alone {
          _ = try transaction.removeExpired(expiry(), limit: 2)
          throw CancellationError()
        }
      }
      try transaction.setServerState("a", to: [1])
    }
    #expect(try step() == 2, "what was undone is done again, and the one beneath waits")
    #expect(try step() == 0)
    #expect(try step() == 1, "the next round begins anew")
    #expect(try step() == 0)
  }

  @Test func `a round of housekeeping begins anew where the one before failed`() throws {
    for number in 1...3 { try addCode("v\(number)", expiredAfter: Int64(10 * number)) }
    #expect(try step() == 2)
    try addCode("v4", expiredAfter: 5)
    #expect(try step(after: 3600) == 2)
    #expect(try step(after: 3600) == 0)
  }

  private func addAlert(_ number: Int, endedAfter seconds: Int64, links: Int = 0) throws {
    let alert = bench.alert(number, endedAt: bench.after(seconds: seconds))
    try bench.write { set in
      set.newAlerts = [alert]
      set.pageLinks = (0..<links).map { link in
        PageLink(
          key: PageKey(bytes: [UInt8(number), UInt8(link)] + bench.hash(number)), account: bench.account,
          alert: alert.id, contact: bench.identifier(21))
      }
    }
  }

  private func forget(before seconds: Int64 = 60) throws -> ForgottenCount {
    try first.write { try $0.forget(.links, ofAlertsEndedBefore: bench.after(seconds: seconds), limit: 2) }
  }

  @Test func `a round of forgetting goes on where its last step ended`() throws {
    for number in [13, 15, 17] { try addAlert(number, endedAfter: Int64(number)) }
    #expect(try forget() == ForgottenCount(rows: 2, alerts: 2, hasMore: true))
    try addAlert(19, endedAfter: 1)
    try addAlert(21, endedAfter: 16)
    #expect(throws: CancellationError.self) {
      try first.write { transaction in
        _ = try transaction.forget(.links, ofAlertsEndedBefore: bench.after(seconds: 60), limit: 2)
        throw CancellationError()
      }
    }
    #expect(try forget().alerts == 2, "what was undone is done again, and the one beneath waits")
    #expect(try forget() == ForgottenCount())
    #expect(try forget() == ForgottenCount(rows: 1, alerts: 1), "the next round begins anew")
    #expect(try forget() == ForgottenCount())
  }

  @Test func `a round of forgetting begins anew where the one before failed`() throws {
    for number in [13, 15] { try addAlert(number, endedAfter: Int64(number)) }
    #expect(try forget().hasMore)
    try addAlert(17, endedAfter: 1)
    #expect(try forget(before: 61) == ForgottenCount(rows: 1, alerts: 1))
  }

  @Test func `a round of forgetting stays with an alert that has rows left, though a later one has none`() throws {
    try addAlert(13, endedAfter: 13, links: 3)
    for number in [15, 17] { try addAlert(number, endedAfter: Int64(number)) }
    #expect(try forget() == ForgottenCount(rows: 3, alerts: 1, hasMore: true))
    #expect(try forget() == ForgottenCount(rows: 3, alerts: 2, hasMore: true))
    #expect(try forget() == ForgottenCount())
  }
}
