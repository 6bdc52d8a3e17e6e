import LocalStore
import Model
import SyncEngine
import TestSupport
import Testing

/// Random walks: whatever happens in whatever order, the planner neither stops nor loops.
@Suite struct PlannerWalkTests {
  @Test(arguments: 0..<200 as Range<UInt64>)
  func `a waiting alert is always in flight or due, and nothing loops`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var driver = PlannerDriver(
      endpoints: Int.random(in: 1...2, using: &random), emergency: Int.random(in: 0...2, using: &random),
      routine: Int.random(in: 0...900, using: &random), hasActiveAlert: Bool.random(using: &random))
    driver.start()
    for step in 0..<300 {
      driver.jitter = Double.random(in: 0..<1, using: &random)
      walk(&driver, &random)
      check(&driver, "seed \(seed), step \(step)")
    }
  }

  private func walk(_ driver: inout PlannerDriver, _ random: inout SeededRandom) {
    switch Int.random(in: 0..<16, using: &random) {
    case 0: driver.queue(.emergency)
    case 1: driver.queue(.routine, Int.random(in: 1...30, using: &random))
    case 2: driver.tell(.networkChanged)
    case 3: driver.wallShift += Int64.random(in: -PlannerClockTests.year...PlannerClockTests.year, using: &random)
    case 4: driver.situation.hasActiveAlert.toggle()
    case 5: signInOrOut(&driver, &random)
    case 6:
      _ = driver.planner.receive(.storeFailed, at: driver.moment, jitter: driver.jitter)
      driver.tell(.exchange(.abandoned))
    case 7: stream(&driver, &random)
    case 8...12: answer(&driver, &random)
    default:
      driver.passToWake()
      if Bool.random(using: &random) { driver.pass(Int64.random(in: 0...20_000, using: &random)) }
    }
  }

  private func signInOrOut(_ driver: inout PlannerDriver, _ random: inout SeededRandom) {
    let choices: [Situation.Credentials] = [.none, .alertKey, PlannerDriver.signedIn, PlannerDriver.signedIn]
    driver.situation.credentials = choices[Int.random(in: 0..<4, using: &random)]
    driver.tell(.sessionReplaced)
  }

  private func stream(_ driver: inout PlannerDriver, _ random: inout SeededRandom) {
    guard driver.isStreaming else { return }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: driver.tell(.stream(.opened))
    case 1: driver.tell(.stream(.heartbeat))
    case 2: driver.tell(.stream(.changed))
    case 3:
      driver.isStreaming = false
      driver.tell(.stream(.unauthorized(SyncFailure(.unauthorized, ""))))
    default:
      driver.isStreaming = false
      driver.tell(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: nil)))
    }
  }

  private func answer(_ driver: inout PlannerDriver, _ random: inout SeededRandom) {
    if driver.isRefreshing {
      let outcomes: [PlannerEvent.RefreshOutcome] = [
        .refreshed, .abandoned, .failed(PlannerDriver.offline, retryAfterMilliseconds: nil),
      ]
      return driver.tell(.refresh(outcomes[Int.random(in: 0..<3, using: &random)]))
    }
    if driver.overtaken != nil, Bool.random(using: &random) { return answerOvertaken(&driver, &random) }
    guard driver.call != nil else { return }
    let items = Int.random(in: 0...3, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0: driver.fail(items: items)
    case 1: driver.fail(SyncFailure(.timeout, ""), items: items)
    case 2: driver.fail(SyncFailure(.serverError, ""), retryAfter: .max, items: items)
    case 3: driver.refuse(items: items)
    case 4: driver.unauthorized()
    case 5: driver.tell(.exchange(.tooLarge(SyncFailure(.tooLarge, ""), isOurs: true, items: items, bytes: 99)))
    case 6: driver.accept(hasMore: true, isStuck: Bool.random(using: &random))
    case 7: driver.accept(isRestart: true)
    default: driver.accept()
    }
  }

  private func answerOvertaken(_ driver: inout PlannerDriver, _ random: inout SeededRandom) {
    let outcomes: [PlannerEvent.ExchangeOutcome] = [
      .accepted(PlannerEvent.Accepted(items: 3, answered: 3, hasMore: true)), .abandoned,
      .failed(PlannerDriver.offline, retryAfterMilliseconds: nil, items: 3, bytes: 300),
      .unauthorized(SyncFailure(.unauthorized, "")),
    ]
    driver.tell(.overtaken(outcomes[Int.random(in: 0..<4, using: &random)]))
  }

  private func check(_ driver: inout PlannerDriver, _ place: String) {
    // After a few wake-ups it is idle: it waits for an answer or for a later time.
    for _ in 0..<4 where driver.wake == driver.now { driver.tell(.timer) }
    #expect(driver.wake != driver.now, "\(place): it keeps waking itself")
    #expect(driver.overtaken == nil || driver.exchange?.isEmergency == true, "\(place): nothing overtakes it")
    guard driver.situation.credentials != .none else { return }
    if driver.call == nil, driver.situation.emergency.count > 0 {
      let wait = driver.wake.map { $0 - driver.now }
      #expect(wait.map { $0 <= 900_000 } ?? false, "\(place): an alert waits without a limit")
    }
    if driver.situation.hasSession { #expect(driver.wake != nil, "\(place): it never wakes again") }
  }
}
