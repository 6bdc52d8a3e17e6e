import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// After a server has lost all its streams, they do not reopen at once, and no alert waits for that.
@Suite struct StreamSpreadTests {
  static let hour: Int64 = 3_600_000

  /// A device whose stream has been open for hours, on a server that asks for `spread`.
  static func device(spread: Int64, hasActiveAlert: Bool = false) -> PlannerDriver {
    var driver = PlannerStreamTests.idle(hasActiveAlert: hasActiveAlert)
    for _ in 0..<720 {
      driver.pass(25_000)
      if driver.call != nil { driver.accept() }
      driver.answerOpening()
      driver.tell(.stream(.spread(milliseconds: spread)))
    }
    #expect(driver.isStreaming)
    return driver
  }

  static func lose(_ driver: inout PlannerDriver) {
    driver.isStreaming = false
    driver.tell(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: nil)))
  }

  /// Lets time pass until the stream is opened again. Everything else that is sent succeeds.
  static func waitForStream(_ driver: inout PlannerDriver) -> Int64 {
    let lostAt = driver.now
    driver.pass(isAnswered: true) { $0.isStreaming }
    return driver.now - lostAt
  }

  @Test(
    arguments: [
      (5000, 5000), (hour, hour), (600_000, 600_000), (0, 5000), (-1, 5000), (.max, hour), (.min, 5000),
    ] as [(Int64, Int64)], [0.0, 0.25, 1.0])
  func `an idle device waits a random part of what the server asked for, up to an hour`(
    spread: (asked: Int64, kept: Int64), jitter: Double
  ) {
    var driver = Self.device(spread: spread.asked)
    driver.jitter = jitter
    Self.lose(&driver)
    #expect(Self.waitForStream(&driver) == Int64(jitter * Double(spread.kept)))
  }

  @Test func `it keeps waiting that long, and never less than its backoff`() {
    for (spread, bounds) in [
      (Self.hour, [3_600_000, 3_600_000, 3_600_000]), (300_000, [300_000, 600_000, 900_000, 900_000]),
    ] as [(Int64, [Int64])] {
      var driver = Self.device(spread: spread)
      for bound in bounds {
        Self.lose(&driver)
        #expect(Self.waitForStream(&driver) == bound)
      }
    }
  }

  @Test func `a device with an active alert does not wait that long`() {
    var driver = Self.device(spread: Self.hour, hasActiveAlert: true)
    Self.lose(&driver)
    #expect(Self.waitForStream(&driver) == 120_000)
  }

  @Test func `a new alert is sent at once, and its stream is back within two minutes`() {
    var driver = Self.device(spread: Self.hour)
    Self.lose(&driver)
    driver.pass(1000)
    driver.situation.hasActiveAlert = true
    driver.queue(.emergency, 2)
    #expect(driver.exchange?.isEmergency == true)
    driver.accept()
    #expect(Self.waitForStream(&driver) == 120_000)
  }

  @Test func `another network reopens the stream within a second`() {
    var driver = Self.device(spread: Self.hour)
    Self.lose(&driver)
    driver.pass(1000)
    driver.tell(.networkChanged)
    #expect(Self.waitForStream(&driver) == 1000)
  }

  /// The device last fetched hours ago, since the stream announced no change.
  @Test func `a broken stream does not make the device ask at once`() {
    var driver = Self.device(spread: 600_000)
    Self.lose(&driver)
    #expect(driver.call == nil)
    driver.passToWake()
    #expect(driver.call == nil)
    #expect(driver.isStreaming)
    driver.tell(.stream(.opened))
    #expect(driver.purpose == .pull(isUrgent: false), "it fetches what it missed")
  }

  @Test func `another network does not make the device ask at once either`() {
    var driver = Self.device(spread: 600_000)
    driver.tell(.networkChanged)
    #expect(driver.call == nil)
  }

  @Test func `if the stream cannot be reopened, the device asks every 15 min`() {
    var driver = Self.device(spread: 60_000)
    Self.lose(&driver)
    driver.passToWake()
    Self.lose(&driver)
    let missedAt = driver.now
    while driver.call == nil {
      if driver.isStreaming { Self.lose(&driver) }
      driver.passToWake()
    }
    #expect(driver.now - missedAt == 900_000)
    #expect(driver.purpose == .pull(isUrgent: false))
    driver.accept()
    let askedAt = driver.now
    while driver.call == nil {
      if driver.isStreaming { Self.lose(&driver) }
      driver.passToWake()
    }
    #expect(driver.now - askedAt == 900_000)
  }

  /// The token expired while the stream was closed. It is refreshed as rarely as the stream is tried.
  @Test func `a token that only the stream needs is not refreshed more often than the stream is tried`() {
    var driver = Self.device(spread: Self.hour)
    Self.lose(&driver)
    driver.situation.credentials = .session(accessExpiresAt: Timestamp(milliseconds: 0))
    driver.situation.serverNow = Timestamp(milliseconds: 1)
    for wait in [Self.hour, 900_000] {  // until the stream's next attempt, and then until the next poll
      let failedAt = driver.now
      driver.pass { $0.isRefreshing }
      #expect(driver.now - failedAt == wait)
      driver.tell(.refresh(.failed(PlannerDriver.offline, retryAfterMilliseconds: nil)))
    }
  }
}

@Suite struct StreamSpreadOfTheServerTests {
  @Test func `is a second for each open stream, from five seconds to an hour`() {
    let said = [0, 1, 5, 6, 100, 3600, 10_000, .max, -1].map { StreamSpread.milliseconds(openStreams: $0) }
    #expect(said == [5000, 5000, 5000, 6000, 100_000, 3_600_000, 3_600_000, 3_600_000, 5000])
  }

  @Test func `the event stream announces it`() {
    #expect(StreamSpread.text(milliseconds: 5000) == "retry: 5000\n")
  }
}
