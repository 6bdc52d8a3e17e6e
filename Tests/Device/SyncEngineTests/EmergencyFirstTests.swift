import LocalStore
import Model
import SyncEngine
import TestSupport
import Testing

/// An alert is tried in time, despite routine traffic and earlier retries.
@Suite struct EmergencyFirstTests {
  /// The longest that a routine call in flight may delay an alert.
  static let allowance: Int64 = 3000
  static let cap: Int64 = 30_000

  /// A device that is never idle: hundreds of contacts, a stream that comes and goes, a server that answers late, badly
  /// or never. Alerts come in the middle of it.
  @Test(arguments: 0..<40 as Range<UInt64>)
  func `routine traffic never starves an alert`(seed: UInt64) {
    var random = SeededRandom(seed: 0x5EED + seed)
    var driver = PlannerDriver(routine: 400)
    driver.start()
    for step in 0..<60 {
      driver.jitter = Double.random(in: 0..<1, using: &random)
      makeNoise(&driver, &random)
      guard driver.situation.emergency.count == 0 else { continue }
      let raisedAt = driver.now
      driver.queue(.emergency, 2)
      waitForEmergency(&driver)
      #expect(driver.now - raisedAt <= Self.allowance, "seed \(seed), step \(step): the first try is late")
      failSome(&driver, &random, "seed \(seed), step \(step)")
      driver.accept()
    }
  }

  /// Without jitter every retry is due at once, so only the budget delays it.
  @Test func `an empty budget delays an alert by no more than the cap, and never a new one`() {
    var driver = PlannerDriver(emergency: 1)
    driver.jitter = 0
    driver.start()
    var longest: Int64 = 0
    for _ in 0..<500 {
      let failedAt = driver.now
      driver.fail()
      waitForEmergency(&driver)
      longest = max(longest, driver.now - failedAt)
    }
    #expect(longest <= 5000, "a token comes every 5 s")
    #expect(longest > 0, "the budget was empty")
    driver.fail()
    let raisedAt = driver.now
    driver.queue(.emergency)
    #expect(driver.exchange?.isEmergency == true)
    #expect(driver.now == raisedAt)
  }

  @Test func `an empty budget of the routine lane does not affect an alert`() {
    var driver = PlannerDriver(routine: 1)
    driver.jitter = 0
    driver.start()
    for _ in 0..<30 {
      driver.fail()
      driver.passToCall()
    }
    driver.fail()
    #expect(driver.call == nil, "the routine lane waits for its budget")
    driver.queue(.emergency)
    #expect(driver.exchange?.isEmergency == true)
  }

  @Test func `a Retry-After of an hour for routine traffic delays no alert`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.fail(SyncFailure(.rateLimited, "later"), retryAfter: .max)
    #expect(driver.delays == [3_600_000])
    driver.queue(.emergency)
    #expect(driver.exchange?.isEmergency == true)
    driver.fail()
    let failedAt = driver.now
    waitForEmergency(&driver)
    #expect(driver.now - failedAt <= Self.cap)
  }

  /// Whatever delay a server asks for, as in `RetryAfterTests`.
  @Test(arguments: [0, 1, 299_999, 300_000, 300_001, 3_600_000, .max] as [Int64], [0.0, 0.5, 0.999])
  func `a Retry-After delays an alert as it says, up to 5 min, and not less than the jitter`(
    asked: Int64, jitter: Double
  ) {
    var driver = PlannerDriver(emergency: 1)
    driver.jitter = jitter
    driver.start()
    driver.fail(SyncFailure(.serverError, "busy"), retryAfter: asked)
    #expect(driver.delays == [max(Int64(jitter * 500), min(asked, 300_000))])
    let failedAt = driver.now
    waitForEmergency(&driver)
    #expect(driver.now - failedAt <= 300_000)
  }

  // MARK: Helpers

  private func makeNoise(_ driver: inout PlannerDriver, _ random: inout SeededRandom) {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: driver.queue(.routine, Int.random(in: 1...200, using: &random))
      case 1: driver.tell(.networkChanged)
      case 2 where driver.call != nil: driver.fail()
      case 3 where driver.call != nil: driver.fail(SyncFailure(.rateLimited, ""), retryAfter: .max)
      case 4 where driver.exchange != nil: driver.accept(hasMore: true)
      case 5: driver.tell(.stream(.opened))
      case 6:
        driver.isStreaming = false
        driver.tell(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: nil)))
      default: driver.pass(Int64.random(in: 0...3000, using: &random))
      }
    }
  }

  /// Fails the alert a few times. Every retry must be in time, although more contacts are queued.
  private func failSome(_ driver: inout PlannerDriver, _ random: inout SeededRandom, _ place: String) {
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      driver.jitter = Double.random(in: 0..<1, using: &random)
      driver.fail()
      let failedAt = driver.now
      driver.queue(.routine, 3)
      waitForEmergency(&driver)
      #expect(driver.now - failedAt <= Self.cap + Self.allowance, "\(place): a retry is late")
    }
  }

  /// Lets time pass until the alert is in flight. Other calls are never answered.
  private func waitForEmergency(_ driver: inout PlannerDriver) {
    for _ in 0..<100 where driver.exchange?.isEmergency != true { driver.passToWake() }
    #expect(driver.exchange?.isEmergency == true)
  }
}
