import Dispatch
import Model
import ServerCore
import SystemKit
import Wire

extension StoreContract {
  static let raceClauses: [Clause] = [
    Clause("gives the alerts of one account that many bring at once each a number of its own, without a gap") { bench in
      let device = try SignedIn(bench, 1)
      try atOnce(16) { index in
        let body = device.exchange((0..<3).map { (1000 + 10 * index + $0, 2000 + 10 * index + $0) })
        let statuses = try device.send(body, index + 1).results.map(\.status)
        try expect(statuses, is: [.applied, .applied, .applied], "an answer")
      }
      try expectDense(bench, bench.account, count: 48)
    },
    Clause("lets many bring the same exchange at once, and takes it once") { bench in
      let device = try SignedIn(bench, 1)
      let body = device.exchange([(11, 101), (12, 102)])
      let applied = Shared(0)
      try atOnce(16) { index in
        let results = try device.send(body, index + 1).results
        applied.change { $0 += results.count { $0.status == .applied } }
        try expect(results.count, is: 2, "results")
      }
      try expect(applied.value, is: 2, "how many times an item was applied")
      try expectDense(bench, bench.account, count: 2)
    },
    Clause("keeps different accounts apart that write at once") { bench in
      let devices = [try SignedIn(bench, 1), try SignedIn(bench, 2)]
      try atOnce(16) { index in
        let device = devices[index % 2]
        _ = try device.send(device.exchange([(1000 + index, 2000 + index)]), index + 1)
      }
      try expectDense(bench, bench.account, count: 8)
      try expectDense(bench, bench.other, count: 8)
    },
    Clause("counts every step of a rate that many take at once") { bench in
      try atOnce(16) { _ in
        var writes = RequestWrites()
        writes.rateCounts = [RateCountStep(key: bench.hash(1), start: Bench.now, expiresAt: bench.after(seconds: 60))]
        try bench.write(writes)
      }
      let need = RateCountNeed(key: bench.hash(1), range: Bench.now..<bench.after(seconds: 1))
      try expect(
        try bench.requestFacts { $0.rateCounts = [need] }.rateCounts[need],
        is: [RateCount(start: Bench.now, count: 16)], "counts")
    },
    Clause("shows every guess at a code the guesses before it") { bench in
      var writes = RequestWrites()
      writes.newVerification = verification("v", bench.phone(1), at: Bench.now)
      try bench.write(writes)
      let seen = Shared<[Int]>([])
      try atOnce(16) { _ in
        let tries = try bench.store.write { transaction in
          var needs = RequestNeeds()
          needs.verification = "v"
          var facts = RequestFacts()
          try transaction.addFacts(needs, to: &facts)
          guard var verification = facts.verification else { throw Breach(description: "the code is gone") }
          let tries = verification.tries
          verification.tries += 1
          var writes = RequestWrites()
          writes.changedVerification = verification
          try transaction.apply(writes)
          return tries
        }
        seen.change { $0.append(tries) }
      }
      try expect(seen.value.sorted(), is: Array(0..<16), "the tries that each guess saw")
    },
  ]

  /// The account has alerts 1 to `count` by their ordinals, and as many changes.
  private static func expectDense(_ bench: Bench, _ account: AccountID, count: Int) throws {
    let facts = try bench.facts(of: account) {
      $0.newestAlerts = 1000
      $0.page = PageNeed(after: 0, count: 1000)
    }
    let ordinals = facts.newestAlerts.compactMap { facts.alerts[$0]?.record.ordinal }
    try expect(ordinals, is: (1...Int64(count)).reversed(), "ordinals")
    try expect(facts.page.map { $0.change.sequence }, is: Array(1...Int64(count)), "sequences")
    try expect(
      facts.position, is: LogPosition(newestSequence: Int64(count), newestOrdinal: Int64(count)), "the position")
  }

  /// Runs `body` for each index, several at a time. Throws what one of them threw.
  private static func atOnce(_ count: Int, _ body: @Sendable (Int) throws -> Void) throws {
    let failure = Shared<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: count) { index in
      do {
        try body(index)
      } catch {
        failure.change { $0 = error }
      }
    }
    if let failure = failure.value { throw failure }
  }
}

/// A value that several threads change.
private final class Shared<Value: Sendable>: Sendable {
  private let mutex: Lock<Value>

  init(_ value: Value) { mutex = Lock(value) }

  var value: Value { mutex.withLock { $0 } }

  func change(_ body: (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}
