import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// On a quick path an alert is sent beside a routine exchange in flight, and neither harms the other.
@Suite struct OvertakingTests {
  /// The last round trip took this long, and a routine exchange is in flight.
  private func busy(after milliseconds: Int64 = 10) -> PlannerDriver {
    var driver = PlannerDriver(routine: 100_000)
    driver.start()
    driver.pass(milliseconds)
    driver.accept()
    return driver
  }

  private func accepted(_ items: Int) -> PlannerEvent {
    .overtaken(.accepted(PlannerEvent.Accepted(items: items, answered: items)))
  }

  // MARK: When

  @Test func `an alert goes at once, and the exchange that it overtakes goes on`() {
    var driver = busy()
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.overtaken?.isRoutinePush == true)
    #expect(driver.cancelled == 0)
    driver.accept()
    #expect(driver.purpose == .push(.routine), "the exchange that was overtaken")
    #expect(driver.overtaken == nil)
  }

  @Test func `it goes by the alert key, so that the other answer alone brings changes`() {
    var driver = busy()
    driver.queue(.emergency)
    #expect(driver.exchange?.usesAlertKey == true)
  }

  @Test(arguments: [26, 100, 600] as [Int64])
  func `on a path that is not quick it waits for the exchange in flight`(milliseconds: Int64) {
    var driver = busy(after: milliseconds)
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.routine))
    driver.accept()
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `how long an answer was held here says nothing of the path`() {
    var driver = PlannerDriver(routine: 100_000)
    driver.start()
    driver.pass(40)
    driver.accept(held: 20)
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `on a path of which nothing is known it waits`() {
    var driver = PlannerDriver(routine: 100_000)
    driver.start()
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.routine))
  }

  @Test func `a server that is slow with much does not make the path slow`() {
    var driver = busy()
    for _ in 0..<5 {
      driver.pass(300)
      driver.accept()
    }
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `where the alert key was refused it waits`() {
    var driver = PlannerDriver(credentials: .session(accessExpiresAt: Timestamp(milliseconds: 0)), emergency: 1)
    driver.situation.serverNow = Timestamp(milliseconds: 1_000_000)
    driver.start()
    driver.unauthorized()
    #expect(driver.isRefreshing)
    driver.situation.credentials = PlannerDriver.signedIn
    driver.tell(.refresh(.refreshed))
    driver.accept()
    driver.queue(.routine, 5000)
    driver.accept()
    #expect(driver.purpose == .push(.routine))
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.routine))
  }

  // MARK: How it ends

  @Test func `the exchange that was overtaken ends first, and the alert goes on`() {
    var driver = busy()
    driver.queue(.emergency)
    driver.tell(accepted(3))
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.overtaken == nil)
    #expect(driver.recorded.isEmpty)
    driver.accept()
    #expect(driver.purpose == .push(.routine))
  }

  @Test func `its failure is the routine lane's`() {
    var driver = busy()
    driver.queue(.emergency)
    driver.tell(.overtaken(.failed(PlannerDriver.offline, retryAfterMilliseconds: nil, items: 3, bytes: 300)))
    #expect(driver.recorded == [PlannerDriver.offline])
    #expect(driver.situation.routine.attempts == 1)
    #expect(driver.situation.emergency.attempts == 0)
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `the alert's failure leaves the exchange in flight, and the retry overtakes it too`() {
    var driver = busy()
    driver.queue(.emergency)
    driver.jitter = 0.1
    driver.fail()
    #expect(driver.purpose == .push(.routine))
    #expect(driver.cancelled == 0)
    driver.passToWake()
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.overtaken != nil)
  }

  @Test func `it is cancelled when its time is over, and what it fetched is wanted again`() {
    var driver = busy()
    driver.tell(.localWork)
    let startedAt = driver.now
    driver.queue(.emergency)
    driver.pass { $0.overtaken == nil }
    #expect(driver.now == startedAt + 500)
    #expect(driver.cancelled == 1)
    #expect(driver.purpose == .push(.emergency), "which has the path to itself now")
    driver.accept()
    #expect(driver.purpose == .push(.routine))
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.routine), "the path was not quick after all")
  }

  @Test func `a second alert waits for the first, not for the exchange`() {
    var driver = busy()
    driver.queue(.emergency)
    driver.queue(.emergency)
    #expect(driver.cancelled == 0)
    driver.accept()
    driver.queue(.emergency)
    #expect(driver.purpose == .push(.emergency))
    #expect(driver.overtaken != nil)
  }

  @Test func `a new server or session cancels both`() {
    for event: PlannerEvent in [.endpointsChanged(count: 1), .sessionReplaced] {
      var driver = busy()
      driver.queue(.emergency)
      driver.tell(event)
      #expect(driver.cancelled == 2)
      #expect(driver.purpose == .push(.emergency))
      #expect(driver.overtaken == nil)
    }
  }

  @Test func `a new route leaves a young exchange and the alert alone`() {
    var driver = busy()
    driver.queue(.emergency)
    driver.tell(.networkChanged)
    #expect(driver.cancelled == 0)
    #expect(driver.purpose == .push(.emergency))
  }

  @Test func `a run that ends cancels both`() {
    var driver = busy()
    driver.queue(.emergency)
    driver.tell(.stop)
    #expect(driver.cancelled == 2)
    #expect(driver.finished != nil)
  }

  // MARK: With a store

  /// A device in the middle of a long exchange: 20 ms is what its round trip takes.
  private func deviceSending() throws -> (TestDevice, TransportRequest) {
    let device = try TestDevice()
    device.tell(.start)
    try device.addContact("Ana")
    device.fate = { $0.body.contains("\"contact.put\"") ? .hangs : .arrives }
    device.tell(.localWork)
    return (device, try #require(device.syncs.last))
  }

  @Test func `the alert is accepted while the exchange is in flight, whose answer then applies as a whole`() throws {
    let (device, sending) = try deviceSending()
    try device.raise()
    device.tell(.localWork)
    #expect(try device.store.status().stage == .accepted)
    #expect(!device.cancelled.contains(sending.id))
    device.tell(.answer(sending.id, device.server.answer(sending)))
    #expect(try device.store.pendingCount() == 0)
    #expect(try device.store.status().stage == .accepted)
    #expect(device.server.effects.count == Set(device.server.effects).count)
  }

  @Test func `the exchange's failure while the alert is in flight is noted for its own rows`() throws {
    let (device, sending) = try deviceSending()
    device.fate = { _ in .hangs }
    try device.raise()
    device.tell(.localWork)
    #expect(device.syncs.count == 3)
    device.tell(.failure(sending.id, .protocolError("reset")))
    let attempts = try device.store.queue().map { ($0.kind, $0.attempts) }
    #expect(attempts.allSatisfy { $0.0.hasPrefix("contact") ? $0.1 == 1 : $0.1 == 0 })
    device.fate = { _ in .arrives }
    device.deliver()
    #expect(try device.store.status().stage == .accepted)
  }
}

extension Call {
  fileprivate var isRoutinePush: Bool {
    if case .exchange(let exchange) = self { exchange.purpose == .push(.routine) } else { false }
  }
}

extension [UInt8] {
  fileprivate func contains(_ text: String) -> Bool { String(decoding: self, as: UTF8.self).contains(text) }
}
