import LocalStore
import Model
import SyncEngine
import Testing

@Suite struct PlannerSessionTests {
  @Test func `without a sign-in nothing is sent`() {
    var driver = PlannerDriver(credentials: .none, emergency: 1)
    driver.start()
    driver.tell(.networkChanged)
    driver.queue(.emergency)
    #expect(driver.call == nil)
    #expect(!driver.isStreaming)
    #expect(driver.wake == nil)
    driver.situation.credentials = PlannerDriver.signedIn
    driver.tell(.sessionReplaced)
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `without an endpoint nothing is sent until one is configured`() {
    var driver = PlannerDriver(endpoints: 0, emergency: 1)
    driver.start()
    #expect(driver.call == nil)
    driver.tell(.endpointsChanged(count: 1))
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `401 refreshes and retries, and does not count as a failure`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.unauthorized()
    #expect(driver.isRefreshing)
    driver.tell(.refresh(.refreshed))
    #expect(driver.purpose == .push(.routine))
    #expect(driver.recorded.isEmpty)
  }

  @Test func `401 sends an alert with the alert key at once, and then refreshes`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.unauthorized()
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.exchange?.usesAlertKey == true)
    #expect(driver.recorded.isEmpty)
    driver.accept()
    #expect(driver.isRefreshing)
  }

  @Test func `an alert whose alert key is refused is sent with the session`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.unauthorized()
    driver.unauthorized()
    #expect(driver.isRefreshing)
    driver.tell(.refresh(.refreshed))
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.exchange?.usesAlertKey == false)
    #expect(driver.recorded.isEmpty)
    driver.unauthorized()
    #expect(driver.recorded.map(\.kind) == [.unauthorized], "now both are refused: that is a failure, not a loop")
  }

  @Test func `a refused fresh token is a failure, not a loop`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.unauthorized()
    driver.tell(.refresh(.refreshed))
    driver.unauthorized()
    #expect(driver.call == nil)
    #expect(driver.recorded.map(\.kind) == [.unauthorized])
  }

  @Test func `while even fresh tokens are refused, an alert is sent with the alert key`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.unauthorized()
    driver.tell(.refresh(.refreshed))
    driver.unauthorized()
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.exchange?.usesAlertKey == true)
  }

  @Test func `a token that expires within a minute by the server's clock is refreshed first`() {
    var driver = PlannerDriver(routine: 1)
    driver.situation.credentials = .session(accessExpiresAt: Timestamp(milliseconds: 100_000))
    driver.situation.serverNow = Timestamp(milliseconds: 40_001)
    driver.start()
    #expect(driver.isRefreshing)
    // Even if the new token expires as soon, or the clock is wrong, it is used.
    driver.tell(.refresh(.refreshed))
    #expect(driver.purpose == .push(.routine))
  }

  @Test func `an alert does not wait for this refresh`() {
    var driver = PlannerDriver(emergency: 1)
    driver.situation.credentials = .session(accessExpiresAt: Timestamp(milliseconds: 100_000))
    driver.situation.serverNow = Timestamp(milliseconds: 40_001)
    driver.start()
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.exchange?.usesAlertKey == true)
  }

  @Test func `a valid token is used, and so is one whose expiry is unknown`() {
    var driver = PlannerDriver(emergency: 1)
    driver.situation.credentials = .session(accessExpiresAt: Timestamp(milliseconds: 100_000))
    driver.situation.serverNow = Timestamp(milliseconds: 39_000)
    driver.start()
    #expect(driver.purpose == .push(.emergency))
    var other = PlannerDriver(emergency: 1)
    other.situation.credentials = .session(accessExpiresAt: Timestamp(milliseconds: 0))
    other.start()
    #expect(other.purpose == .push(.emergency))
  }

  @Test func `while a refresh fails, an alert is sent with the alert key and the rest waits`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.unauthorized()
    driver.tell(.refresh(.failed(PlannerDriver.offline, retryAfterMilliseconds: nil)))
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.exchange?.usesAlertKey == true)
    driver.accept()
    #expect(driver.call == nil)
    driver.passToWake()
    #expect(driver.isRefreshing, "with the same token")
    driver.tell(.refresh(.refreshed))
    #expect(driver.purpose == .push(.routine))
    #expect(driver.exchange?.usesAlertKey == false)
  }

  @Test func `an alert waits for a refresh in flight no longer than half a second`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.unauthorized()
    #expect(driver.isRefreshing)
    driver.queue(.emergency)
    #expect(driver.isRefreshing)
    driver.passToWake()
    #expect(driver.now == 5_000_500)
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.exchange?.usesAlertKey == true)
  }

  /// On a slow line a refresh may take longer than any fixed wait, and would never end.
  @Test func `an alert that needs a new token waits longer for it each time`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.unauthorized()
    driver.unauthorized()
    var waited: [Int64] = []
    for _ in 0..<4 {
      #expect(driver.isRefreshing)
      let (start, cancelled) = (driver.now, driver.cancelled)
      while driver.cancelled == cancelled { driver.passToWake() }
      waited.append(driver.now - start)
      driver.passToCall()
    }
    #expect(waited == [3000, 6000, 12_000, 24_000])
  }

  @Test func `with an expired session only alerts are sent, with the alert key`() {
    var driver = PlannerDriver(credentials: .alertKey, emergency: 1, routine: 1)
    driver.start()
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.exchange?.usesAlertKey == true)
    driver.accept()
    #expect(driver.call == nil)
    #expect(!driver.isStreaming)
  }

  /// The server may be the wrong one, for a while.
  @Test func `a refused alert key is an error, and an alert is retried as after any other`() {
    var driver = PlannerDriver(credentials: .alertKey, emergency: 1)
    driver.start()
    for _ in 0..<20 {
      driver.unauthorized()
      driver.passToCall()
      #expect(driver.purpose == .push(.emergency))
    }
    #expect(driver.recorded.allSatisfy { $0.kind == .unauthorized })
    #expect(driver.delays.last == 30_000)
  }

  /// It may be the wrong server, for a while: it is asked for as long as the device runs, ever more rarely.
  @Test func `a refused session is tried again, and once it is taken everything is sent`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.unauthorized()
    var waits: [Int64] = []
    for _ in 0..<10 {
      #expect(driver.isRefreshing)
      let start = driver.now
      driver.situation.credentials = .refused
      driver.tell(.refresh(.refused(SyncFailure(.unauthorized, "who"))))
      #expect(driver.call == nil && !driver.isStreaming)
      driver.passToCall()
      waits.append((driver.now - start) / 1000)
    }
    #expect(waits == [30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600])
    driver.situation.credentials = PlannerDriver.signedIn
    driver.tell(.refresh(.refreshed))
    #expect(driver.purpose == .push(.routine) && driver.exchange?.usesAlertKey == false)
  }

  @Test func `a refused session is tried at once on another network, and where alerts are taken again`() {
    var driver = PlannerDriver(credentials: .refused, hasActiveAlert: true)
    driver.start()
    var refused = 0
    for _ in 0..<60 {
      if driver.isRefreshing {
        refused += 1
        driver.tell(.refresh(.refused(SyncFailure(.unauthorized, "who"))))
      } else if driver.call != nil {
        driver.unauthorized()
      } else {
        driver.passToWake()
      }
    }
    #expect(refused > 3)
    driver.pass { $0.call != nil && !$0.isRefreshing }
    driver.accept()
    #expect(driver.isRefreshing, "this server knows the device")
    driver.tell(.refresh(.refused(SyncFailure(.unauthorized, "who"))))
    driver.pass(1000)
    #expect(!driver.isRefreshing)
    driver.tell(.networkChanged)
    driver.pass { $0.isRefreshing }
  }

  /// Only a sign-in helps, and it tries all at once.
  @Test func `a session that was ended is not tried again`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.unauthorized()
    driver.situation.credentials = .alertKey
    driver.tell(.refresh(.refused(SyncFailure(.unauthorized, "ended", isRevoked: true))))
    #expect(driver.call == nil && driver.wake == nil)
  }

  /// The longest wait between two attempts within each hour, in seconds.
  private func longestWaits(hours: Int, isRevoked: Bool) -> [Int64] {
    var driver = PlannerDriver(credentials: .alertKey, emergency: 1)
    driver.start()
    let begin = driver.now
    var waits = [Int64](repeating: 0, count: hours)
    while driver.now - begin < Int64(hours) * 3_600_000 {
      let start = driver.now
      driver.unauthorized(isRevoked: isRevoked)
      driver.passToCall()
      let hour = Int((start - begin) / 3_600_000)
      waits[hour] = max(waits[hour], (driver.now - start) / 1000)
    }
    return waits
  }

  @Test func `an alert that the server refuses for long is tried more rarely, and never given up`() {
    #expect(longestWaits(hours: 3, isRevoked: false) == [30, 300, 300])
    let revoked = longestWaits(hours: 12, isRevoked: true)
    #expect(revoked.first.map { $0 > 60 && $0 <= 900 } == true && revoked.max() == 3600)
  }

  @Test func `an ended session is tried every thirty seconds for ten minutes, and a new alert at once`() {
    var driver = PlannerDriver(credentials: .alertKey, emergency: 1)
    driver.start()
    let begin = driver.now
    while driver.now - begin < 9 * 60_000 {
      let start = driver.now
      driver.unauthorized(isRevoked: true)
      driver.passToCall()
      #expect(driver.now - start <= 30_000)
    }
    while driver.now - begin < 3 * 3_600_000 {
      driver.unauthorized(isRevoked: true)
      driver.passToCall()
    }
    driver.unauthorized(isRevoked: true)
    #expect(driver.call == nil)
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `a replaced session drops the requests of the old one`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.tell(.sessionReplaced)
    #expect(driver.cancelled == 1)
    #expect(driver.purpose == .push(.routine))
  }
}

@Suite struct PlannerEndpointTests {
  @Test func `in an emergency the second endpoint is tried when the first has failed twice, then in turn`() {
    var driver = PlannerDriver(endpoints: 2, emergency: 1)
    driver.start()
    var order: [Endpoint] = []
    for _ in 0..<6 {
      if let endpoint = driver.call?.endpoint { order.append(endpoint) }
      driver.fail()
      driver.passToCall()
    }
    #expect(order == [.first, .first, .second, .first, .second, .first])
  }

  @Test func `routine traffic stays on the first endpoint`() {
    var driver = PlannerDriver(endpoints: 2, routine: 1)
    driver.start()
    for _ in 0..<6 {
      #expect(driver.call?.endpoint == .first)
      driver.fail()
      driver.passToCall()
    }
  }

  @Test func `a success on the first endpoint switches back to it`() {
    var driver = PlannerDriver(endpoints: 2, emergency: 1)
    driver.start()
    driver.fail()
    driver.passToCall()
    driver.fail()
    driver.passToCall()
    #expect(driver.call?.endpoint == .second)
    driver.accept()
    driver.queue(.routine)
    #expect(driver.call?.endpoint == .first)
    driver.accept()
    driver.queue(.emergency)
    #expect(driver.call?.endpoint == .first)
    driver.fail()
    driver.passToCall()
    #expect(driver.call?.endpoint == .first)
  }

  @Test func `the first endpoint's Retry-After does not delay the second`() {
    var driver = PlannerDriver(endpoints: 2, emergency: 1)
    driver.start()
    driver.fail()
    driver.passToCall()
    driver.fail(SyncFailure(.serverError, "busy"), retryAfter: 300_000)
    #expect(driver.delays.last == 1000)
  }

  @Test func `a session that the server ended does not switch the endpoint`() {
    var driver = PlannerDriver(endpoints: 2, credentials: .alertKey, emergency: 1)
    driver.start()
    for _ in 0..<4 {
      #expect(driver.call?.endpoint == .first)
      driver.unauthorized(isRevoked: true)
      driver.passToCall()
    }
  }

  /// The first name may resolve to a wrong server.
  @Test func `an alert goes to the second endpoint where the first does not know this device`() {
    var driver = PlannerDriver(endpoints: 2, credentials: .alertKey, emergency: 1)
    driver.start()
    var order: [Endpoint] = []
    for _ in 0..<4 {
      if let endpoint = driver.call?.endpoint { order.append(endpoint) }
      driver.unauthorized()
      driver.passToCall()
    }
    #expect(order == [.first, .first, .second, .first])
  }

  @Test func `an alert of a device with a session goes there too, with the alert key`() {
    var driver = PlannerDriver(endpoints: 2, emergency: 1)
    driver.start()
    for _ in 0..<10 where driver.call?.endpoint != .second {
      if driver.isRefreshing {
        driver.situation.credentials = .refused
        driver.tell(.refresh(.refused(SyncFailure(.unauthorized, "who"))))
      } else {
        driver.unauthorized()
      }
      if driver.call == nil { driver.passToCall() }
    }
    #expect(driver.call?.endpoint == .second)
    #expect(driver.purpose == .push(.emergency) && driver.exchange?.usesAlertKey == true)
    #expect(driver.now - 5_000_000 < 5000, "at once")
  }

  @Test func `a run that does not retry tries the second endpoint at once`() {
    var driver = PlannerDriver(
      .once(deadlineMilliseconds: 10_000), endpoints: 2, credentials: .alertKey, emergency: 1)
    driver.start()
    driver.unauthorized()
    #expect(driver.call?.endpoint == .second && driver.finished == nil)
    driver.unauthorized()
    #expect(driver.finished != nil)
  }
}
