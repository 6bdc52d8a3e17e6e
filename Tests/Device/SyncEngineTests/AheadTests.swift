import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// On a quick path the next exchange is sent before the answer to this one is applied. It counts only if it is what is wanted then.
@Suite struct AheadTests {
  private let device: TestDevice
  /// The first exchange of full size, which is in flight.
  private let full: TransportRequest
  private let items: Int

  /// - Parameter milliseconds: what the exchanges before took, which show what path it is.
  private init(contacts: Int = 1_500, after milliseconds: Int64 = 10) throws {
    device = try TestDevice()
    items = contacts
    for index in 0..<contacts { try device.addContact("Contact \(index)") }
    device.perform(device.coordinator.handle(.start, at: device.moment, jitter: 0.5))
    var request = try #require(device.inFlight.first { !$0.isStream })
    while try Self.count(request) < 500 {
      device.pass(milliseconds)
      device.answer(request)
      request = try #require(device.inFlight.first { !$0.isStream })
    }
    full = request
    device.pass(milliseconds)
  }

  private static func count(_ request: TransportRequest) throws -> Int {
    try SyncRequest(jsonBytes: request.body).mutations.count
  }

  private func tell(_ event: SyncEvent) {
    device.perform(device.coordinator.handle(event, at: device.moment, jitter: 0.5))
  }

  /// Answers the exchange of full size, and gives what was sent upon that.
  private func sendAhead() throws -> TransportRequest {
    device.answer(full)
    let ahead = try #require(device.inFlight.first { !$0.isStream })
    try #require(ahead.isFlushed)
    return ahead
  }

  /// Lets everything be sent, and checks that the server acted once on each item.
  private func finish(_ items: Int? = nil) throws {
    device.deliver()
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
    #expect(device.server.effects.count == items ?? self.items)
  }

  @Test func `the next exchange is on its way while the answer is applied, and counts as sent`() throws {
    let scene = try AheadTests()
    let pending = try scene.device.store.pendingCount()
    let ahead = try scene.sendAhead()
    #expect(try scene.device.store.pendingCount() == pending, "nothing is applied before it was sent")
    #expect(scene.device.wake == scene.device.now)
    let sent = scene.device.requests.count
    scene.tell(.timer)
    #expect(try scene.device.store.pendingCount() == pending - 500)
    #expect(scene.device.requests.count == sent && scene.device.inFlight.contains(ahead))
    try scene.finish()
    #expect(scene.device.cancelled.isEmpty)
  }

  @Test func `a long pull goes on likewise`() throws {
    let scene = try AheadTests()
    try scene.finish()
    let other = try TestDevice(server: scene.device.server)
    other.perform(other.coordinator.handle(.start, at: other.moment, jitter: 0.5))
    var wentAhead = 0
    while let request = other.inFlight.first(where: { !$0.isStream }) {
      wentAhead += request.isFlushed ? 1 : 0
      other.pass(10)
      other.answer(request)
      other.perform(other.coordinator.handle(.timer, at: other.moment, jitter: 0.5))
    }
    #expect(wentAhead > 0 && other.cancelled.isEmpty)
    #expect(try other.store.contacts().count == scene.items)
    #expect(other.server.effects.count == scene.items)
  }

  @Test func `its answer may come before the other is applied`() throws {
    let scene = try AheadTests()
    let pending = try scene.device.store.pendingCount()
    let ahead = try scene.sendAhead()
    scene.device.answer(ahead)
    scene.tell(.timer)
    #expect(try scene.device.store.pendingCount() <= pending - 1000)
    try scene.finish()
  }

  @Test func `an alert that is raised meanwhile goes first, and what was sent ahead is cancelled`() throws {
    let scene = try AheadTests()
    let ahead = try scene.sendAhead()
    try scene.device.raise("help")
    scene.tell(.timer)
    let alert = try #require(scene.device.inFlight.last { !$0.isStream })
    #expect(try SyncRequest(jsonBytes: alert.body).notifications.count == 1)
    #expect(scene.device.cancelled.contains(ahead.id))
    scene.device.pass(10)
    scene.device.answer(alert)
    #expect(try scene.device.store.status().stage == .accepted)
    try scene.finish(scene.items + 2)
  }

  @Test func `while an alert waits nothing is sent ahead`() throws {
    let scene = try AheadTests()
    try scene.device.raise("help")
    scene.device.answer(scene.full)
    #expect(!scene.device.requests.contains { $0.isFlushed })
    try scene.finish(scene.items + 2)
  }

  @Test func `what is queued meanwhile makes it another exchange`() throws {
    let scene = try AheadTests()
    let ahead = try scene.sendAhead()
    try scene.device.addContact("One more")
    scene.tell(.timer)
    #expect(scene.device.cancelled == [ahead.id])
    try scene.finish(scene.items + 1)
  }

  @Test func `where it fails, the answer before it counts, and its items are sent again`() throws {
    let scene = try AheadTests()
    let pending = try scene.device.store.pendingCount()
    let ahead = try scene.sendAhead()
    scene.device.lose(ahead)
    #expect(try scene.device.store.pendingCount() == pending - 500)
    #expect(try scene.device.store.status().sync.lastError == nil)
    try scene.finish()
  }

  @Test func `a run that ends applies what was answered, and cancels what was sent ahead`() throws {
    let scene = try AheadTests()
    let pending = try scene.device.store.pendingCount()
    let ahead = try scene.sendAhead()
    scene.tell(.stop)
    #expect(scene.device.cancelled.contains(ahead.id))
    #expect(scene.device.reports.last?.pending == pending - 500)
  }

  @Test func `a process that dies with both sends both again, under the same ids`() throws {
    let scene = try AheadTests()
    let ahead = try scene.sendAhead()
    _ = scene.device.server.answer(ahead)
    scene.device.restart(.continuous)
    scene.device.tell(.start)
    try scene.finish()
  }

  @Test func `another server takes nothing that was sent ahead to the one before`() throws {
    let scene = try AheadTests()
    let ahead = try scene.sendAhead()
    scene.device.configuration.endpoint = "https://two.example"
    scene.device.tell(.configurationChanged(scene.device.configuration))
    #expect(scene.device.cancelled.contains(ahead.id))
    try scene.finish()
  }

  @Test func `on a path that is not quick nothing is sent ahead`() throws {
    let scene = try AheadTests(after: 100)
    try scene.finish()
    #expect(!scene.device.requests.contains { $0.isFlushed })
  }

  @Test func `where an item was refused nothing is sent ahead`() throws {
    let scene = try AheadTests()
    let refused = try SyncRequest(jsonBytes: scene.full.body).mutations[3].entityID
    scene.device.server.rejects = [refused]
    scene.device.answer(scene.full)
    #expect(!scene.device.requests.contains { $0.isFlushed })
  }
}
