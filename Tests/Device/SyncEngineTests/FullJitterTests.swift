import LocalStore
import Model
import SyncEngine
import TestSupport
import Testing
import Wire

/// Compares the planner's real delays, drawn with a seeded jitter, with their distribution: after failure number `n` in
/// a row they are uniform over `[0, min(cap, base × 2^n)]`.
@Suite struct FullJitterTests {
  /// What is retried, with the base and the cap of its distribution.
  enum Retried: CaseIterable {
    case alert, contacts, supervision, pull, refresh, refreshOfAnAlert, stream, streamOfAnAlert

    var base: Int64 { self == .stream || self == .streamOfAnAlert ? 5000 : 500 }

    var cap: Int64 {
      switch self {
      case .alert, .supervision, .refreshOfAnAlert: 30_000
      case .streamOfAnAlert: 240_000
      case .contacts, .pull, .refresh, .stream: 900_000
      }
    }

    func bound(_ attempt: Int) -> Int64 { attempt > 20 ? cap : min(cap, base << Int64(attempt)) }
  }

  /// Failures in a row: enough to reach every cap and stay there.
  static let attempts = 13

  /// Rows of failures: enough to detect a distribution that is wrong by an eighth anywhere.
  static let rows = 600

  @Test(arguments: Retried.allCases)
  func `every delay is uniform over its whole bound, and independent of the next`(retried: Retried) {
    let samples = Self.sample(retried, seed: 15)
    for (attempt, delays) in samples.enumerated() {
      let bound = retried.bound(attempt)
      #expect(delays.allSatisfy { (0...bound).contains($0) }, "attempt \(attempt): a wait beyond \(bound) ms")
      let distance = Uniformity.scaledDistance(delays, bound: bound)
      #expect(distance < Uniformity.limit, "attempt \(attempt) over \(bound) ms: \(distance)")
      guard attempt > 0 else { continue }
      let likeness = Self.likeness(samples[attempt - 1], retried.bound(attempt - 1), delays, bound)
      #expect(abs(likeness) < 5, "attempt \(attempt) depends on the one before")
    }
  }

  /// The correlation of delays with those before them. For independent shares of the bounds, the mean product, each
  /// less its mean of 1/2, is 0 with a deviation of 1/12 ÷ √n. This is the mean product in such deviations, beyond 5 in
  /// one of 10⁶ runs.
  private static func likeness(_ before: [Int64], _ boundBefore: Int64, _ after: [Int64], _ bound: Int64) -> Double {
    let products = zip(before, after).map {
      (Double($0) / Double(boundBefore) - 0.5) * (Double($1) / Double(bound) - 0.5)
    }
    return products.reduce(0, +) / Double(products.count) * 12 * Double(products.count).squareRoot()
  }

  /// Proves that the test can fail: none of the usual backoff mistakes passes for full jitter.
  @Test(arguments: Mistake.allCases)
  func `a delay without full jitter is detected`(mistake: Mistake) {
    var random = SeededRandom(seed: 17)
    for bound in [500, 30_000, 900_000] as [Int64] {
      let delays = (0..<Self.rows).map { _ in mistake.delay(Double.random(in: 0..<1, using: &random), bound) }
      let distance = Uniformity.scaledDistance(delays, bound: bound)
      #expect(distance > Uniformity.limit, "\(mistake) over \(bound) ms: \(distance)")
    }
  }

  enum Mistake: CaseIterable {
    case noJitter, equalJitter, halfTheBaseOrCap, twiceTheBaseOrCap, aQuarterMore, aQuarterLess, neverLessThanAQuarter,
      laterOfTwo, fourSteps

    func delay(_ share: Double, _ bound: Int64) -> Int64 {
      let full = Int64(share * Double(bound))
      return switch self {
      case .noJitter: bound
      case .equalJitter: (bound + full) / 2
      case .halfTheBaseOrCap: full / 2
      case .twiceTheBaseOrCap: full * 2
      case .aQuarterMore: full * 5 / 4
      case .aQuarterLess: full * 3 / 4
      case .neverLessThanAQuarter: max(bound / 4, full)
      case .laterOfTwo: Int64(share.squareRoot() * Double(bound))
      case .fourSteps: bound / 4 * Int64(share * 4)
      }
    }
  }

  // MARK: Drawing through the planner

  /// - Returns: the delays of `rows` rows of failures, by attempt.
  static func sample(_ retried: Retried, seed: UInt64) -> [[Int64]] {
    var random = SeededRandom(seed: seed)
    var samples = [[Int64]](repeating: [], count: attempts)
    for _ in 0..<rows {
      var driver = driver(for: retried)
      for attempt in 0..<attempts {
        driver.jitter = Double.random(in: 0..<1, using: &random)
        samples[attempt].append(failAndWait(&driver, retried))
      }
    }
    return samples
  }

  /// A device whose next failure is the first of its kind.
  private static func driver(for retried: Retried) -> PlannerDriver {
    var driver: PlannerDriver
    switch retried {
    case .alert: driver = PlannerDriver(emergency: 1)
    case .contacts: driver = PlannerDriver(routine: 1)
    case .supervision, .streamOfAnAlert: driver = PlannerDriver(hasActiveAlert: true)
    case .pull, .stream: driver = PlannerDriver()
    case .refresh: driver = PlannerDriver()
    case .refreshOfAnAlert: driver = PlannerDriver(hasActiveAlert: true)
    }
    driver.start()
    switch retried {
    case .alert, .contacts, .supervision, .pull: break
    case .refresh, .refreshOfAnAlert: driver.unauthorized()
    case .stream, .streamOfAnAlert: driver.accept()
    }
    return driver
  }

  /// - Returns: how long the planner waits after this failure, as it recorded, or until it opens the stream.
  private static func failAndWait(_ driver: inout PlannerDriver, _ retried: Retried) -> Int64 {
    switch retried {
    case .stream, .streamOfAnAlert: return failStream(&driver)
    case .refresh, .refreshOfAnAlert:
      driver.pass { $0.isRefreshing }
      driver.tell(.refresh(.failed(PlannerDriver.offline, retryAfterMilliseconds: nil)))
    case .alert, .contacts, .supervision, .pull:
      driver.passToCall()
      driver.fail(items: 1)
    }
    return driver.delays.last ?? -1
  }

  private static func failStream(_ driver: inout PlannerDriver) -> Int64 {
    let endedAt = driver.now
    driver.isStreaming = false
    driver.tell(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: nil)))
    driver.pass(isAnswered: true) { $0.isStreaming }
    return driver.now - endedAt
  }
}

/// A Kolmogorov–Smirnov test of whole milliseconds against the uniform distribution.
enum Uniformity {
  /// The largest difference between the samples' distribution and the uniform one over `[0, bound)`, times √n.
  ///
  /// `delay = ⌊jitter × bound⌋` is a whole number, so the distribution is a staircase, `P(delay ≤ k) = (k + 1) /
  /// bound`. Both are compared on the steps, so rounding makes no difference.
  static func scaledDistance(_ delays: [Int64], bound: Int64) -> Double {
    let count = Double(delays.count)
    var below = 0
    var largest = 0.0
    let sorted = delays.sorted()
    while below < sorted.count {
      let value = sorted[below]
      let before = Double(below) / count
      while below < sorted.count, sorted[below] == value { below += 1 }
      let upTo = Double(below) / count
      let lawBefore = min(1, Double(value) / Double(bound))
      let law = min(1, Double(value + 1) / Double(bound))
      largest = max(largest, abs(before - lawBefore), abs(upTo - law))
    }
    return largest * count.squareRoot()
  }

  /// Kolmogorov's distribution for many samples of a uniform quantity: `P(√n × D > t) ≈ 2 exp(-2 t²)`, and less for a
  /// staircase. One of some two hundred distances in this suite exceeds the limit by chance in one of a million runs:
  /// `2 exp(-2 t²) = 5 × 10⁻⁹` gives `t = 3.15`. The seeds are fixed, so the result repeats.
  ///
  /// A wrong distribution is `D` away, whatever `n` is: 1/2 for equal jitter, and for a base or cap that is wrong by a
  /// factor of 2. With 600 samples everything beyond `3.15 ÷ √600 = 0.13` is found.
  static let limit = 3.15
}
