import LocalStore
import Model
import SyncEngine
import Testing

@Suite struct PlannerStreamTests {
  static func idle(hasActiveAlert: Bool = false, hasActiveInboxAlert: Bool = false) -> PlannerDriver {
    var driver = PlannerDriver(hasActiveAlert: hasActiveAlert)
    driver.situation.hasActiveInboxAlert = hasActiveInboxAlert
    driver.start()
    driver.tell(.stream(.opened))
    driver.accept()
    driver.accept()
    return driver
  }

  @Test func `signed in, it opens a stream, and pulls when it is open`() {
    var driver = PlannerDriver()
    driver.start()
    #expect(driver.isStreaming)
    driver.accept()
    #expect(driver.call == nil)
    driver.tell(.stream(.opened))
    #expect(driver.purpose == .pull(isUrgent: false))
  }

  @Test func `an alert in flight has the path to itself`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    #expect(!driver.isStreaming)
    driver.accept()
    #expect(driver.isStreaming)
  }

  @Test func `with an open stream an idle device sends nothing by itself`() {
    var driver = Self.idle(hasActiveInboxAlert: true)
    #expect(driver.call == nil)
    for _ in 0..<1000 {
      driver.pass(25_000)
      #expect(driver.call == nil)
      driver.tell(.stream(.heartbeat))
      #expect(driver.wake == driver.now + 75_000)
    }
    #expect(driver.openings == 1)
  }

  @Test func `a change is fetched at once`() {
    var driver = Self.idle()
    driver.tell(.stream(.changed))
    #expect(driver.purpose == .pull(isUrgent: false))
  }

  /// For example, a hundred responders are told one after the other, and each is a change.
  @Test func `a server that keeps announcing changes is eventually asked every two seconds`() {
    var driver = Self.idle()
    var pulls = 0
    for _ in 0..<6000 {
      driver.tell(.stream(.changed))
      if driver.call != nil {
        pulls += 1
        driver.accept()
      }
      driver.pass(100)
    }
    #expect((320...335).contains(pulls), "\(pulls) in ten minutes")
    #expect(driver.now <= driver.wake ?? 0, "the last change is fetched too")
  }

  @Test func `a change during a pull is fetched after it`() {
    var driver = Self.idle()
    driver.tell(.stream(.changed))
    driver.tell(.stream(.changed))
    driver.accept()
    #expect(driver.purpose == .pull(isUrgent: false))
    driver.accept()
    #expect(driver.call == nil)
  }

  /// Otherwise the device would sleep until somebody uses it.
  @Test func `a stream that ends when the token expires is reopened`() {
    var driver = Self.idle()
    driver.situation.credentials = .session(
      accessExpiresAt: driver.moment.wall.advanced(byMilliseconds: 100_000))
    driver.situation.serverNow = driver.moment.wall.advanced(byMilliseconds: 75_000)
    driver.pass(75_000)
    #expect(!driver.isStreaming)
    let closedAt = driver.now
    driver.passToCall()
    #expect(driver.isRefreshing)
    #expect(driver.now - closedAt <= 5000, "not with the next poll, 15 min later")
  }

  @Test func `a stream that is silent for three heartbeats is closed and reopened`() {
    var driver = Self.idle()
    driver.pass(75_000)
    #expect(!driver.isStreaming)
    driver.passToWake()
    #expect(driver.isStreaming)
  }

  @Test func `a stream that does not open is retried less and less often`() {
    var driver = PlannerDriver()
    driver.start()
    driver.accept()
    var waits: [Int64] = []
    for _ in 0..<12 {
      let endedAt = driver.now
      driver.isStreaming = false
      driver.tell(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: nil)))
      driver.pass(isAnswered: true) { $0.isStreaming }
      waits.append(driver.now - endedAt)
    }
    #expect(waits.prefix(4) == [5000, 10_000, 20_000, 40_000])
    #expect(waits.last == 900_000)
  }

  /// Otherwise, after an outage, each waiting alert would also open a stream and fetch.
  @Test func `a stream that waited for an alert during an outage opens later than the alert is sent`() {
    var driver = Self.idle()
    driver.tell(.stream(.spread(milliseconds: 600_000)))
    driver.isStreaming = false
    driver.tell(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: nil)))
    driver.situation.hasActiveAlert = true
    driver.queue(.emergency)
    let awayAt = driver.now
    while driver.now < awayAt + 700_000 {
      if driver.call != nil { driver.fail() } else { driver.passToWake() }
    }
    #expect(!driver.isStreaming)
    driver.passToCall()
    driver.jitter = 0.5
    driver.accept()
    let acceptedAt = driver.now
    #expect(!driver.isStreaming)
    driver.pass(isAnswered: true) { $0.isStreaming }
    #expect(driver.now == acceptedAt + 60_000)
  }

  @Test func `without a stream it asks every 15 min`() {
    var driver = PlannerDriver()
    driver.start()
    driver.accept()
    driver.tell(.stream(.ended(PlannerDriver.offline, retryAfterMilliseconds: 3_600_000)))
    #expect(driver.wake == driver.now + 900_000)
    driver.passToWake()
    #expect(driver.purpose == .pull(isUrgent: false))
  }

  @Test func `with an active alert it contacts the server at least every 30 s, with or without a stream`() {
    var driver = Self.idle(hasActiveAlert: true)
    for _ in 0..<100 {
      let lastAt = driver.now
      driver.passToWake()
      driver.passToCall()
      #expect(driver.now - lastAt <= 30_000)
      #expect(driver.purpose == .pull(isUrgent: true))
      driver.tell(.stream(.heartbeat))
      driver.accept()
    }
  }

  @Test func `a refused stream refreshes the token first`() {
    var driver = Self.idle()
    driver.tell(.stream(.unauthorized(SyncFailure(.unauthorized, ""))))
    #expect(driver.isRefreshing)
    driver.isStreaming = false
    driver.tell(.refresh(.refreshed))
    #expect(driver.isStreaming)
    // If it is refused again, it waits and does not refresh again.
    driver.isStreaming = false
    driver.tell(.stream(.unauthorized(SyncFailure(.unauthorized, ""))))
    #expect(!driver.isRefreshing)
    #expect(!driver.isStreaming)
  }

  @Test func `a network change reopens the stream`() {
    var driver = Self.idle()
    driver.jitter = 0.5
    driver.tell(.networkChanged)
    #expect(!driver.isStreaming)
    driver.pass(500)
    #expect(driver.isStreaming)
  }

  @Test func `signing out closes the stream`() {
    var driver = Self.idle()
    driver.situation.credentials = .none
    driver.tell(.sessionReplaced)
    #expect(!driver.isStreaming)
    #expect(driver.wake == nil)
  }
}

@Suite struct PlannerClockTests {
  static let year: Int64 = 365 * 86_400_000

  @Test(arguments: [year, -year])
  func `a wall clock that jumps by a year does not move the next attempt`(jump: Int64) {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.fail()
    driver.wallShift += jump
    driver.pass(499)
    #expect(driver.call == nil)
    driver.pass(1)
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `a stored next attempt is kept by the next run`() {
    var driver = PlannerDriver(routine: 1)
    driver.situation.routine.attempts = 3
    driver.situation.routine.nextAttemptAt = driver.moment.wall.advanced(byMilliseconds: 5000)
    driver.start()
    driver.accept()  // it still pulls
    driver.tell(.stream(.opened))
    driver.accept()
    driver.passToWake()
    #expect(driver.now == 5_005_000)
    #expect(driver.purpose == .push(.routine))
    driver.fail()
    #expect(driver.delays == [4000], "the fourth failure")
  }

  @Test func `a stored next attempt beyond every possible delay counts as a clock error`() {
    for (lane, wait) in [(Lane.emergency, Int64(300_001)), (.routine, 3_600_001), (.emergency, Self.year)] {
      var driver = PlannerDriver()
      let next = driver.moment.wall.advanced(byMilliseconds: wait)
      driver.change(lane) { $0 = LaneState(count: 1, attempts: 1, nextAttemptAt: next, newestSequence: 1) }
      driver.start()
      #expect(driver.purpose == .push(lane))
    }
  }
}

@Suite struct PlannerOnceTests {
  static let once = SyncMode.once(deadlineMilliseconds: 10_000)

  @Test func `a single run sends, fetches and ends`() {
    var driver = PlannerDriver(Self.once, emergency: 1, routine: 600)
    driver.start()
    driver.accept()
    driver.accept()
    driver.accept(hasMore: true)
    #expect(driver.purpose == .pull(isUrgent: false))
    driver.accept()
    #expect(driver.finished == .some(nil))
    #expect(!driver.isStreaming)
  }

  @Test func `with nothing to send it still fetches`() {
    var driver = PlannerDriver(Self.once)
    driver.start()
    #expect(driver.purpose == .pull(isUrgent: false))
  }

  @Test func `it ends with the first failure that only waiting can fix`() {
    var driver = PlannerDriver(Self.once, emergency: 1, routine: 1)
    driver.start()
    driver.fail()
    #expect(driver.finished == .some(PlannerDriver.offline))
    #expect(driver.recorded == [PlannerDriver.offline])
  }

  @Test func `in an emergency it tries the second endpoint before it ends`() {
    var driver = PlannerDriver(Self.once, endpoints: 2, emergency: 1)
    driver.start()
    driver.fail()
    #expect(driver.call?.endpoint == .second)
    driver.fail()
    #expect(driver.finished == .some(PlannerDriver.offline))
  }

  @Test func `it is due whatever next attempt is stored`() {
    var driver = PlannerDriver(Self.once, routine: 1)
    driver.situation.routine.nextAttemptAt = driver.moment.wall.advanced(byMilliseconds: 600_000)
    driver.start()
    #expect(driver.purpose == .push(.routine))
  }

  @Test func `with a renewed deadline it goes on while answers bring changes, and ends without them`() {
    var driver = PlannerDriver(.once(deadlineMilliseconds: 10_000, isRenewed: true))
    driver.start()
    for page in 0..<5 {
      driver.pass(9000)
      #expect(driver.finished == nil && driver.purpose != nil, "page \(page)")
      driver.tell(.exchange(.accepted(.init(items: 0, answered: 0, hasMore: true, changes: 500))))
    }
    driver.pass(6000)
    // Not one change: another cursor alone is no progress.
    driver.tell(.exchange(.accepted(.init(items: 0, answered: 0, hasMore: true, changes: 0))))
    driver.pass(4001)
    #expect(driver.finished??.kind == .timeout)
  }

  @Test func `it ends at its deadline`() {
    var driver = PlannerDriver(Self.once, emergency: 1)
    driver.start()
    while driver.finished == nil { driver.passToWake() }
    #expect(driver.now == 5_010_000)
    #expect(driver.cancelled == 1)
    #expect(driver.finished??.kind == .timeout)
    #expect(driver.recorded.map(\.kind) == [.timeout])
  }

  @Test func `it starts nothing after its deadline`() {
    var driver = PlannerDriver(Self.once, routine: 600)
    driver.start()
    driver.now += 10_000
    driver.accept()
    #expect(driver.finished??.kind == .timeout)
  }

  @Test func `it ends at once without a sign-in or an endpoint`() {
    var driver = PlannerDriver(Self.once, credentials: .none, emergency: 1)
    driver.start()
    #expect(driver.finished??.kind == .notSignedIn)
    var other = PlannerDriver(Self.once, endpoints: 0, emergency: 1)
    other.start()
    #expect(other.finished??.kind == .notConfigured)
  }

  @Test func `with an expired session it sends the alert, and then reports the expiry`() {
    var driver = PlannerDriver(Self.once, credentials: .alertKey, emergency: 1, routine: 1)
    driver.start()
    driver.accept()
    #expect(driver.finished??.kind == .unauthorized)
  }

  @Test func `when the refresh fails it sends the alert with the alert key, and then reports why`() {
    var driver = PlannerDriver(Self.once, emergency: 1)
    driver.start()
    driver.unauthorized()
    #expect(driver.exchange?.usesAlertKey == true)
    driver.accept()
    driver.tell(.refresh(.failed(PlannerDriver.offline, retryAfterMilliseconds: nil)))
    #expect(driver.finished == .some(PlannerDriver.offline))
  }

  @Test func `stop ends either kind of run, and cancels what is in flight`() {
    for mode in [Self.once, .continuous] {
      var driver = PlannerDriver(mode, routine: 1)
      driver.start()
      driver.tell(.stop)
      #expect(driver.finished == .some(nil))
      #expect(driver.cancelled == 1)
      #expect(!driver.isStreaming)
    }
  }

  @Test func `a failing store is retried later, and ends a single run`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.tell(.exchange(.abandoned))
    for _ in 0..<10 {
      driver.call = nil
      _ = driver.planner.receive(.exchange(.abandoned), at: driver.moment, jitter: 1)
      driver.tell(.storeFailed)
      #expect(driver.call == nil)
      driver.passToCall()
      #expect(driver.purpose == .push(.routine))
    }
    var once = PlannerDriver(Self.once, routine: 1)
    once.start()
    once.tell(.storeFailed)
    #expect(once.finished??.kind == .store)
  }

  @Test func `an alert does not wait until a failing store is retried`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    for _ in 0..<10 {
      driver.call = nil
      _ = driver.planner.receive(.exchange(.abandoned), at: driver.moment, jitter: 1)
      driver.tell(.storeFailed)
      driver.passToCall()
    }
    driver.call = nil
    _ = driver.planner.receive(.exchange(.abandoned), at: driver.moment, jitter: 1)
    driver.tell(.storeFailed)
    #expect(driver.call == nil)
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency), "whoever raised it has written to the store")
  }
}
