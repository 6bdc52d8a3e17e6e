import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// A long answer is applied only after an alert that was raised before it could be: applying it would keep the alert waiting.
@Suite struct HeldAnswerTests {
  private let device: TestDevice
  /// The exchange of many contacts that is in flight.
  private let routine: TransportRequest
  private let answer: SyncEvent
  private let earlierEffects: Int

  /// - Parameter milliseconds: what the first exchange took, which shows what path it is.
  /// - Parameter milliseconds: what the exchanges before took, which show what path it is.
  private init(contacts: Int = 100, after milliseconds: Int64 = 10) throws {
    device = try TestDevice()
    device.perform(device.coordinator.handle(.start, at: device.moment, jitter: 0.5))
    for index in 0..<400 { try device.addContact("Contact \(index)") }
    while let request = device.inFlight.first(where: { !$0.isStream }) {
      device.pass(milliseconds)
      device.answer(request)
    }
    for index in 0..<contacts { try device.addContact("Newer contact \(index)") }
    device.perform(device.coordinator.handle(.localWork, at: device.moment, jitter: 0.5))
    routine = try #require(device.inFlight.last { !$0.isStream })
    try #require(try SyncRequest(jsonBytes: routine.body).mutations.count == contacts)
    answer = .answer(routine.id, device.server.answer(routine))
    device.pass(10)
    earlierEffects = device.server.effects.count
  }

  private func tell(_ event: SyncEvent) {
    device.perform(device.coordinator.handle(event, at: device.moment, jitter: 0.5))
  }

  /// The request after the routine one, which carries the alert.
  private func alertRequest() throws -> TransportRequest {
    let request = try #require(device.requests.last { !$0.isStream })
    let sent = try SyncRequest(jsonBytes: request.body)
    try #require(sent.notifications.count == 1 && request.id != routine.id)
    return request
  }

  @Test func `the alert goes first, and the answer is applied after its own`() throws {
    let scene = try HeldAnswerTests()
    try scene.device.raise("help")
    scene.tell(scene.answer)
    let alert = try scene.alertRequest()
    #expect(try scene.device.store.pendingCount() == 102, "nothing was applied")
    scene.device.pass(10)
    scene.tell(.answer(alert.id, scene.device.server.answer(alert)))
    #expect(try scene.device.store.status().stage == .accepted)
    scene.device.deliver()
    #expect(try scene.device.store.pendingCount() == 0)
    #expect(scene.device.server.effects.count == scene.earlierEffects + 2, "nothing was sent twice")
    #expect(!scene.device.cancelled.contains(scene.routine.id))
  }

  @Test func `the answer does not wait for long`() throws {
    let scene = try HeldAnswerTests()
    try scene.device.raise("help")
    scene.tell(scene.answer)
    let wake = try #require(scene.device.wake)
    #expect(wake == scene.device.now + 50)
    scene.device.pass(49)
    scene.tell(.localWork)
    #expect(try scene.device.store.pendingCount() == 102)
    scene.device.pass(1)
    scene.tell(.timer)
    #expect(try scene.device.store.pendingCount() == 2, "the alert, whose answer has not come")
  }

  @Test func `an answer to an exchange that would be given up for the alert is applied at once`() throws {
    for age in [460, 600] as [Int64] {
      let scene = try HeldAnswerTests()
      scene.device.pass(age - 10)
      try scene.device.raise("help")
      scene.tell(scene.answer)
      #expect(try scene.device.store.pendingCount() == 2, "after \(age) ms")
    }
  }

  @Test func `where the alert fails, what was answered before counts, and the failure stays`() throws {
    let scene = try HeldAnswerTests()
    try scene.device.raise("help")
    scene.tell(scene.answer)
    let alert = try scene.alertRequest()
    scene.tell(.failure(alert.id, .protocolError("reset")))
    #expect(try scene.device.store.pendingCount() == 2)
    #expect(try scene.device.store.status().sync.lastError != nil)
  }

  @Test func `a run that ends applies what was answered`() throws {
    let scene = try HeldAnswerTests()
    try scene.device.raise("help")
    scene.tell(scene.answer)
    scene.tell(.stop)
    #expect(try scene.device.store.pendingCount() == 2)
    #expect(scene.device.reports.last?.pending == 2)
  }

  @Test func `a short answer is applied at once`() throws {
    let scene = try HeldAnswerTests(contacts: 10)
    try scene.device.raise("help")
    scene.tell(scene.answer)
    #expect(try scene.device.store.pendingCount() == 2)
  }

  @Test func `on a path where the alert would wait for the exchange, its answer is applied at once`() throws {
    let scene = try HeldAnswerTests(after: 100)
    try scene.device.raise("help")
    scene.tell(scene.answer)
    #expect(try scene.device.store.pendingCount() == 2)
  }

  @Test func `an alert that may not be tried yet holds nothing up`() throws {
    let scene = try HeldAnswerTests()
    try scene.device.raise("help")
    scene.tell(.localWork)
    scene.tell(.failure(try scene.alertRequest().id, .protocolError("reset")))
    scene.tell(scene.answer)
    #expect(try scene.device.store.pendingCount() == 2)
  }

  @Test func `where the exchange is cancelled meanwhile, its items are sent again under the same ids`() throws {
    let scene = try HeldAnswerTests()
    try scene.device.raise("help")
    scene.tell(scene.answer)
    scene.device.configuration.endpoint = "https://two.example"
    scene.device.tell(.configurationChanged(scene.device.configuration))
    try scene.device.passUntilSent()
    #expect(try scene.device.store.pendingCount() == 0)
    #expect(scene.device.server.effects.count == scene.earlierEffects + 2)
  }
}
