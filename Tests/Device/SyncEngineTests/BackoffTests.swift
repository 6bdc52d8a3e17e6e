import SyncEngine
import TestSupport
import Testing
import Wire

@Suite struct BackoffTests {
  @Test(
    arguments: [
      (0, 500), (1, 1000), (2, 2000), (5, 16_000), (6, 30_000), (7, 30_000), (1_000_000, 30_000), (Int.max, 30_000),
      (-1, 500),
    ] as [(Int, Int64)])
  func `the bound of an emergency doubles up to 30 s and never overflows`(attempt: Int, bound: Int64) {
    let delay = Backoff.emergency.delayMilliseconds(attempt: attempt, jitter: 1)
    #expect(delay == bound)
    #expect(Backoff.emergency.delayMilliseconds(attempt: attempt, jitter: 0.5) == bound / 2)
    #expect(Backoff.emergency.delayMilliseconds(attempt: attempt, jitter: 0) == 0)
  }

  @Test(arguments: [(0, 500), (10, 512_000), (11, 900_000), (Int.max, 900_000)] as [(Int, Int64)])
  func `the bound of routine traffic doubles up to 15 min`(attempt: Int, bound: Int64) {
    #expect(Backoff.routine.delayMilliseconds(attempt: attempt, jitter: 1) == bound)
  }

  @Test(arguments: [-1, 2, Double.infinity, -Double.infinity, Double.nan])
  func `an invalid jitter stays within the bound`(jitter: Double) {
    #expect((0...500).contains(Backoff.emergency.delayMilliseconds(attempt: 0, jitter: jitter)))
  }

  @Test func `a server that asks for more time gets it, up to 5 min for alerts and 1 h for the rest`() {
    let emergency = Backoff.emergency
    #expect(emergency.delayMilliseconds(attempt: 0, jitter: 0.5, retryAfterMilliseconds: 60_000) == 60_000)
    #expect(emergency.delayMilliseconds(attempt: 0, jitter: 0.5, retryAfterMilliseconds: .max) == 300_000)
    #expect(Backoff.routine.delayMilliseconds(attempt: 0, jitter: 0.5, retryAfterMilliseconds: .max) == 3_600_000)
  }

  @Test func `a server that asks for less time does not get it`() {
    #expect(Backoff.routine.delayMilliseconds(attempt: 9, jitter: 1, retryAfterMilliseconds: 1) == 256_000)
    #expect(Backoff.routine.delayMilliseconds(attempt: 0, jitter: 1, retryAfterMilliseconds: -5) == 500)
  }

  /// Uniform delays fill each tenth of the bound equally. Chi squared with 9 degrees of freedom exceeds 27.9 in one of
  /// 1,000 runs, and this run is repeatable.
  @Test func `ten thousand devices spread evenly over the bound`() {
    var generator = SeededRandom(seed: 42)
    var tenths = [Int](repeating: 0, count: 10)
    for _ in 0..<10_000 {
      let jitter = Double.random(in: 0..<1, using: &generator)
      let delay = Backoff.emergency.delayMilliseconds(attempt: 6, jitter: jitter)
      #expect((0..<30_000).contains(delay))
      tenths[Int(delay / 3000)] += 1
    }
    let chiSquared = tenths.reduce(0.0) { $0 + (Double($1) - 1000) * (Double($1) - 1000) / 1000 }
    #expect(chiSquared < 27.9, "\(tenths)")
  }
}
