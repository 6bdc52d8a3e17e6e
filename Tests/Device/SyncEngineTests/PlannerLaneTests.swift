import LocalStore
import Model
import SyncEngine
import Testing

@Suite struct PlannerLaneTests {
  @Test func `an alert is sent before anything else`() {
    var driver = PlannerDriver(emergency: 1, routine: 1000)
    driver.start()
    #expect(driver.purpose == .push(.emergency))
    driver.accept()
    #expect(driver.purpose == .push(.routine))
  }

  @Test func `one exchange is in flight at a time`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    let first = driver.call
    driver.queue(.routine)
    driver.tell(.networkChanged)
    driver.tell(.timer)
    #expect(driver.call == first)
    #expect(driver.cancelled == 0)
  }

  @Test func `an alert waits for a routine exchange in flight`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.pass(200)
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.routine))
    driver.accept()
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.cancelled == 0)
  }

  @Test func `an alert waits for a routine exchange no longer than half a second`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.pass(200)
    driver.queue(.emergency)
    #expect(driver.wake == 5_000_500)
    driver.passToWake()
    #expect(driver.cancelled == 1)
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.recorded.isEmpty, "a cancelled exchange is not a failure")
    driver.accept()
    #expect(driver.purpose == .push(.routine), "it is sent again")
  }

  @Test func `a new alert is tried at once, whatever the backoff`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    for _ in 0..<8 {
      driver.fail()
      driver.passToCall()
    }
    driver.fail()
    #expect(driver.call == nil)
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency))
    driver.fail()
    #expect(driver.delays.last == 500, "its backoff starts over")
  }

  @Test func `a new contact is tried at once, within the retry budget of its lane`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    for _ in 0..<5 {
      driver.fail()
      driver.passToCall()
    }
    driver.fail()
    driver.pass(100)
    driver.queue(.routine)
    #expect(driver.purpose == .push(.routine))
    driver.fail()
    #expect(driver.delays.last == 32_000, "its backoff continues")
  }

  @Test func `an alert is retried within 30 s for as long as it takes`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    for _ in 0..<1000 {
      #expect(driver.purpose == .push(.emergency))
      let failedAt = driver.now
      driver.fail()
      driver.passToCall()
      #expect(driver.now - failedAt <= 30_000)
    }
    #expect(driver.recorded.count == 1000)
  }

  @Test func `even without jitter an emergency does not hammer the server`() {
    var driver = PlannerDriver(emergency: 1)
    driver.jitter = 0
    driver.start()
    let startedAt = driver.now
    var attempts = 0
    while driver.now - startedAt < 600_000 {
      attempts += 1
      driver.fail()
      driver.passToCall()
    }
    #expect(attempts < 30 + 120 + 20 + 10, "the bursts, and an emergency every 5 s, and a pull every minute")
  }

  @Test func `a routine failure blocks neither alerts nor its lane forever`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    for _ in 0..<40 {
      driver.fail()
      driver.passToCall()
      #expect(driver.purpose == .push(.routine))
    }
    #expect(driver.delays.max() == 900_000)
  }

  @Test func `routine retries stay within their budget`() {
    var driver = PlannerDriver(routine: 1)
    driver.jitter = 0
    driver.start()
    let startedAt = driver.now
    for _ in 0..<70 {
      driver.fail()
      driver.passToCall()
    }
    #expect(driver.now - startedAt >= 59 * 60_000)
  }

  @Test func `a poke with every added contact does not hammer a server that is down`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    var attempts = 0
    for _ in 0..<1000 {
      if driver.call != nil {
        attempts += 1
        driver.fail()
      }
      driver.pass(10)
      driver.queue(.routine)
    }
    #expect(attempts < 20)
  }

  @Test func `Retry-After delays an emergency by at most 5 min`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    driver.fail(SyncFailure(.serverError, "busy"), retryAfter: 86_400_000)
    #expect(driver.delays == [300_000])
  }

  @Test func `a batch without any result is retried later, not at once`() {
    var driver = PlannerDriver(routine: 3)
    driver.start()
    driver.tell(.exchange(.accepted(PlannerEvent.Accepted(items: 3, answered: 0))))
    #expect(driver.call == nil)
    #expect(driver.recorded.map(\.kind) == [.serverError])
  }

  @Test func `while the server repeatedly has no room for an alert, its changes are still fetched`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    for _ in 0..<3 {
      driver.passToCall()
      #expect(driver.purpose == .push(.emergency))
      driver.tell(
        .exchange(
          .accepted(
            PlannerEvent.Accepted(items: 1, answered: 0, hasMore: true, retryAfterMilliseconds: 10_000))))
    }
    #expect(driver.purpose == .pull(isUrgent: false))
    driver.accept()
    driver.passToCall()
    #expect(driver.purpose == .push(.emergency), "the alert is still retried")
  }

  @Test func `a waiting lane is retried when another one reaches the server`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    for _ in 0..<9 {
      driver.fail()
      driver.passToCall()
    }
    driver.fail()
    driver.queue(.emergency)
    driver.accept()
    #expect(driver.purpose == .push(.routine))
  }

  @Test func `a network change tries an alert at once and forgets the failures`() {
    var driver = PlannerDriver(emergency: 1, routine: 1)
    driver.start()
    driver.fail()
    #expect(driver.call == nil, "routine items wait with it")
    for _ in 0..<20 {
      driver.passToWake()
      if driver.call != nil { driver.fail() }
    }
    #expect(driver.call == nil)
    driver.jitter = 0.25
    driver.tell(.networkChanged)
    #expect(driver.purpose == .push(.emergency))
    driver.fail()
    #expect(driver.delays.last == 125)
    driver.pass(124)
    #expect(driver.call == nil)
  }

  @Test func `a network change cancels a routine request that has waited for two seconds`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.pass(2500)
    driver.jitter = 0
    driver.tell(.networkChanged)
    #expect(driver.cancelled == 1)
    #expect(driver.purpose == .push(.routine))
    #expect(driver.recorded.isEmpty)
  }

  @Test func `a request that the transport never ends is ended`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.pass { $0.cancelled > 0 }
    #expect(driver.now == 5_000_000 + 70_000)
    #expect(driver.cancelled == 1)
    #expect(driver.recorded.map(\.kind) == [.timeout])
  }
}
