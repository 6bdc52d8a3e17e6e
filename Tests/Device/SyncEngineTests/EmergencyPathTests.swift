import LocalStore
import Model
import SyncEngine
import Testing

/// An emergency has the path to itself, and no network event or dead connection delays it.
@Suite struct EmergencyPathTests {
  private let timeout = SyncFailure(.timeout, "slow")

  // MARK: Exclusive use of the path

  @Test func `nothing routine starts while an alert waits for its next attempt`() {
    var driver = PlannerDriver(emergency: 1, routine: 100, hasActiveAlert: true)
    driver.start()
    for _ in 0..<20 {
      driver.fail()
      #expect(driver.call == nil)
      driver.queue(.routine)
      #expect(driver.call == nil)
      driver.passToCall()
      #expect(driver.purpose == .push(.emergency))
    }
    #expect(!driver.isStreaming)
    driver.accept()
    let acceptedAt = driver.now
    #expect(driver.purpose == .push(.routine))
    driver.accept()
    driver.pass { $0.isStreaming }
    #expect(driver.now == acceptedAt + 5000)
  }

  @Test func `an alert that the server repeatedly does not accept does not block the rest forever`() {
    var driver = PlannerDriver(emergency: 1, routine: 1)
    driver.start()
    for _ in 0..<3 {
      #expect(driver.purpose == .push(.emergency))
      driver.fail(SyncFailure(.serverError, "not now"), retryAfter: 60_000)
      if driver.call == nil { driver.passToCall() }
    }
    #expect(driver.purpose == .push(.routine))
  }

  @Test func `a stream that is being opened is dropped, and an open one is left alone`() {
    var driver = PlannerDriver()
    driver.start()
    driver.accept()
    #expect(driver.isStreaming)
    driver.queue(.emergency)
    #expect(!driver.isStreaming)
    driver.accept()
    #expect(driver.isStreaming)
    driver.tell(.stream(.opened))
    driver.queue(.emergency)
    #expect(driver.isStreaming)
  }

  @Test func `an alert asks for the fewest changes that a server grants`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    #expect(driver.exchange?.changeLimit == 1)
  }

  @Test func `routine exchanges start small, grow while fast and shrink when slow`() {
    var driver = PlannerDriver(routine: 100_000)
    driver.start()
    var sizes: [Int] = []
    for milliseconds: Int64 in [100, 100, 100, 3000, 3000] {
      sizes.append(driver.exchange?.limits.maximumBytes ?? 0)
      driver.pass(milliseconds)
      driver.accept()
    }
    #expect(sizes == [2048, 8192, 32_768, 131_072, 10_922])
    #expect(driver.exchange?.limits.maximumBytes == 1024)
    #expect(driver.exchange?.changeLimit == 2)
    driver.tell(.networkChanged)
    driver.accept()
    #expect(driver.exchange?.limits.maximumBytes == 8192, "on a new path it starts small again")
  }

  /// Answers an exchange of `bytes` after `milliseconds`.
  private func answer(_ driver: inout PlannerDriver, bytes: Int, after milliseconds: Int64) {
    driver.pass(milliseconds)
    driver.tell(
      .exchange(
        .accepted(
          PlannerEvent.Accepted(items: 1, answered: 1, bytes: bytes, answerBytes: bytes / 2, changes: bytes / 500))))
  }

  /// High latency is not low bandwidth: the minimum time of an exchange is no reason to send less.
  @Test func `a long round trip alone does not shrink an exchange`() {
    var driver = PlannerDriver(routine: 100_000)
    driver.start()
    for _ in 0..<12 { answer(&driver, bytes: driver.exchange?.limits.maximumBytes ?? 0, after: 600) }
    #expect(driver.exchange?.limits.maximumBytes == 512 << 10)
  }

  @Test(arguments: [2, 16, 64, 256], [0, 600])
  func `on a slow line an exchange takes little longer than the round trip`(kilobits: Int, roundTrip: Int) {
    var driver = PlannerDriver(routine: 100_000)
    driver.start()
    // The first uses a new connection.
    var durations: [Int] = []
    for number in 0..<100 {
      let bytes = driver.exchange?.limits.maximumBytes ?? 0
      let taken = (bytes * 3 / 2 + 1000 + (number == 0 ? 4500 : 0)) * 8 / kilobits + roundTrip * (number == 0 ? 3 : 1)
      answer(&driver, bytes: bytes, after: Int64(taken))
      durations.append(taken)
    }
    let least = (1024 * 3 / 2 + 1000) * 8 / kilobits + roundTrip
    let usual = durations.dropFirst(5).reduce(0, +) / 95
    #expect(usual <= max(2 * least, least + 500), "\(durations)")
  }

  @Test func `a small exchange does not predict a larger one`() {
    var driver = PlannerDriver(routine: 100_000)
    driver.start()
    for _ in 0..<5 { answer(&driver, bytes: 500, after: 50) }
    #expect(driver.exchange?.limits.maximumBytes == 2048)
    #expect(driver.exchange?.changeLimit == 5)
  }

  @Test func `after half a minute of silence the path counts as a new one`() {
    var driver = PlannerDriver(routine: 3)
    driver.start()
    for _ in 0..<3 { driver.accept() }
    driver.pass(31_000)
    driver.queue(.routine)
    #expect(driver.exchange?.limits.maximumBytes == 2048)
  }

  // MARK: Hedges

  @Test func `after three seconds of silence an alert is sent once more`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.pass(2999)
    #expect(driver.attempts.isEmpty)
    driver.pass(1)
    #expect(driver.attempts == [5_003_000])
    #expect(driver.cancelled == 0)
    driver.accept()
    #expect(driver.call == nil || driver.purpose != .push(.emergency))
  }

  @Test func `one extra attempt is in flight at most, and each waits twice as long`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.pass { !$0.recorded.isEmpty }
    #expect(driver.attempts == [5_003_000, 5_009_000])
    #expect(driver.replaced == 1)
    #expect(driver.recorded.map(\.kind) == [.timeout], "it ends, so that the second endpoint gets its turn")
  }

  /// Otherwise a later alert would wait for an attempt at a server that was down.
  @Test func `when the first attempt times out, a silent extra one ends too`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.pass { !$0.recorded.isEmpty }
    #expect(driver.now == 5_020_000)
  }

  @Test func `an extra attempt whose peer responds continues after the first one's timeout`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.pass { $0.attempts.count >= 2 }
    driver.pass(9500)
    driver.tell(.progress(atMonotonicMilliseconds: driver.now))
    driver.pass { !$0.recorded.isEmpty }
    #expect(driver.now == 5_030_500)
  }

  @Test func `a peer that responds gets an extra attempt only after a longer silence`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    for _ in 0..<2 {
      driver.pass(2000)
      driver.tell(.progress(atMonotonicMilliseconds: driver.now))
    }
    #expect(driver.attempts.isEmpty)
    let silentSince = driver.now
    driver.pass { !$0.attempts.isEmpty }
    #expect(driver.attempts == [silentSince + 12_000])
  }

  @Test func `no network event cancels an alert in flight: a second attempt races it`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.tell(.progress(atMonotonicMilliseconds: driver.now + 10))
    driver.pass(2500)
    for _ in 0..<40 {
      driver.tell(.networkChanged)
      driver.pass(250)
    }
    #expect(driver.cancelled == 0)
    #expect(driver.attempts.first == 5_002_500)
    #expect((1...4).contains(driver.attempts.count))
  }

  // On a slow line a copy would only compete with it.
  @Test(arguments: [false, true])
  func `when the network changes again, one of two attempts goes on while it is heard`(isHeard: Bool) {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.pass(1500)
    driver.tell(.networkChanged)
    driver.pass(10)
    #expect(driver.attempts.count == 1)
    for _ in 0..<14 {
      driver.pass(500)
      driver.tell(.progress(atMonotonicMilliseconds: driver.now))
    }
    driver.pass(100)
    driver.tell(.networkChanged)
    driver.pass(400)
    #expect(driver.attempts.count == 1 && driver.replaced == 0)
    if isHeard { driver.tell(.progress(atMonotonicMilliseconds: driver.now)) }
    driver.pass(700)
    #expect(driver.replaced == (isHeard ? 0 : 1))
  }

  @Test func `when one of two attempts fails the other continues`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.pass(3000)
    driver.tell(.attemptFailed)
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.recorded.isEmpty)
    driver.pass(6000)
    #expect(driver.attempts.count == 2)
    #expect(driver.replaced == 0)
  }

  @Test func `routine exchanges have no second attempt`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.tell(.networkChanged)
    driver.pass { $0.cancelled > 0 }
    #expect(driver.attempts.isEmpty)
  }

  // MARK: Timeouts

  @Test func `timeouts grow after timeouts, and reset after answers`() throws {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    var connects: [Int] = []
    for _ in 0..<7 {
      connects.append(driver.planner.limits(of: try #require(driver.call)).connectTimeoutMilliseconds)
      driver.fail(timeout)
      driver.passToCall()
    }
    #expect(connects == [8000, 16_000, 32_000, 64_000, 120_000, 120_000, 120_000])
    for _ in 0..<4 {
      driver.accept()
      driver.queue(.emergency)
    }
    #expect(driver.planner.limits(of: try #require(driver.call)).connectTimeoutMilliseconds == 8000)
  }

  @Test func `other failures leave the timeouts unchanged`() throws {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.fail()
    driver.passToCall()
    #expect(driver.planner.limits(of: try #require(driver.call)).totalTimeoutMilliseconds == 20_000)
  }
}
