import LocalStore
import Model
import SyncEngine
import Testing

@Suite struct PlannerBatchTests {
  @Test func `too large a batch is halved at once, down to one item`() {
    var driver = PlannerDriver(routine: 500)
    driver.start()
    var sizes: [Int] = []
    while let limit = driver.exchange?.limits.maximumItems, limit > 1 {
      sizes.append(limit)
      driver.tell(.exchange(.tooLarge(SyncFailure(.tooLarge, ""), isOurs: false, items: limit, bytes: 9999)))
    }
    #expect(sizes == [500, 250, 125, 62, 31, 15, 7, 3])
    #expect(driver.recorded.isEmpty)
    driver.tell(.exchange(.tooLarge(SyncFailure(.tooLarge, ""), isOurs: false, items: 1, bytes: 999)))
    #expect(driver.recorded.map(\.kind) == [.tooLarge], "one item is retried forever")
    #expect(driver.parked.isEmpty)
    #expect(driver.call == nil)
  }

  @Test func `a batch that was refused as too large does not grow beyond that size until the network changes`() {
    var driver = PlannerDriver(routine: 10_000)
    driver.start()
    driver.tell(.exchange(.tooLarge(SyncFailure(.tooLarge, ""), isOurs: false, items: 500, bytes: 500_000)))
    for _ in 0..<3 {
      #expect(driver.exchange?.limits.maximumItems == 250)
      #expect(driver.exchange.map { $0.limits.maximumBytes <= 250_000 } == true)
      driver.accept()
    }
    driver.tell(.networkChanged)
    driver.accept()
    #expect(driver.exchange?.limits.maximumItems == 500)
  }

  @Test func `a batch that timed out is halved, so that it arrives on a slow path`() {
    var driver = PlannerDriver(emergency: 40)
    driver.start()
    driver.fail(SyncFailure(.timeout, "slow"), items: 40)
    driver.passToWake()
    #expect(driver.exchange?.limits.maximumItems == 20)
    driver.accept()
    #expect(driver.exchange?.limits.maximumItems == 40, "the batch grows back")
  }

  @Test func `an alert that timed out stays with its notification request`() {
    var driver = PlannerDriver(emergency: 2)
    driver.start()
    for _ in 0..<5 {
      driver.fail(SyncFailure(.timeout, "slow"), items: 2)
      driver.passToCall()
      #expect(driver.exchange?.limits.maximumItems == 1)
      #expect(driver.exchange?.limits.isSingleItem == false)
    }
  }

  @Test func `an alert refused with its notification request is sent alone, to find the bad item`() {
    var driver = PlannerDriver(emergency: 2)
    driver.start()
    #expect(driver.exchange?.limits.isSingleItem == false)
    driver.refuse(items: 2)
    #expect(driver.exchange?.limits.isSingleItem == true)
    driver.accept()
    #expect(driver.exchange?.limits.isSingleItem == false)
  }

  @Test func `a poison item is isolated, and parked only after an empty request was accepted`() {
    var driver = PlannerDriver(routine: 4)
    driver.start()
    driver.refuse(items: 4)
    #expect(driver.exchange?.limits.maximumItems == 2)
    driver.refuse(items: 2)
    #expect(driver.exchange?.limits.maximumItems == 1)
    driver.refuse(items: 1)
    #expect(driver.purpose == .probe(.routine))
    driver.accept()
    #expect(driver.purpose == .push(.routine))
    driver.refuse(items: 1)
    #expect(driver.parked.count == 1)
    #expect(driver.recorded.isEmpty)
    #expect(driver.purpose == .push(.routine), "the others continue")
    driver.accept()
    driver.accept()
    #expect(driver.situation.routine.count == 0)
    #expect(driver.parked.count == 1)
  }

  @Test func `when the empty request is refused too, nothing is parked`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    for _ in 0..<50 {
      #expect(driver.purpose == .push(.emergency))
      driver.refuse(items: 1)
      #expect(driver.purpose == .probe(.emergency))
      driver.refuse(items: 0)
      driver.passToCall()
    }
    #expect(driver.parked.isEmpty)
    #expect(driver.recorded.count == 50)
  }

  @Test func `a foreign refusal of one item never parks it`() {
    var driver = PlannerDriver(emergency: 1)
    driver.start()
    for _ in 0..<50 {
      driver.fail(SyncFailure(.notOurServer, "portal"))
      driver.passToCall()
      #expect(driver.purpose == .push(.emergency))
    }
    #expect(driver.parked.isEmpty)
  }

  @Test func `it pulls until there are no more changes`() {
    var driver = PlannerDriver(routine: 1)
    driver.start()
    driver.accept(hasMore: true)
    #expect(driver.purpose == .pull(isUrgent: false))
    driver.accept(hasMore: true)
    #expect(driver.purpose == .pull(isUrgent: false))
    driver.accept()
    #expect(driver.call == nil)
  }

  @Test func `a server that never finishes sending changes is asked later`() {
    var driver = PlannerDriver()
    driver.start()
    driver.accept(hasMore: true, isStuck: true)
    #expect(driver.call == nil)
    #expect(driver.recorded.map(\.kind) == [.serverError])
  }

  @Test func `a restored server is pulled from the start, but not in a loop`() {
    var driver = PlannerDriver()
    driver.start()
    for _ in 0..<3 {
      driver.accept(isRestart: true)
      #expect(driver.purpose == .pull(isUrgent: false))
    }
    driver.accept(isRestart: true)
    #expect(driver.call == nil)
  }
}
