import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// An alert's path out of the device, and what could delay it.
@Suite struct CoordinatorAlertTests {
  @Test func `an alert behind many contacts reaches the server with its notification`() throws {
    let device = try TestDevice(CoordinatorTests.once)
    for index in 0..<60 { try device.addContact("Contact \(index)") }
    let alert = try device.raise("help")
    device.tell(.start)
    let first = try SyncRequest(jsonBytes: try #require(device.syncs.first).body)
    #expect(first.mutations.contains { $0.entityID == EntityID(alert.id) })
    #expect(first.notifications.count == 1)
    #expect(try device.store.pendingCount() == 0)
  }

  @Test func `an alert on a slow path is sent again with its notification`() throws {
    let device = try TestDevice()
    try device.raise("help")
    var failures = 4
    device.fate = { request in
      guard request.url.hasSuffix(Route.sync) else { return .arrives }
      failures -= 1
      return failures >= 0 ? .fails(.timedOut) : .arrives
    }
    device.tell(.start)
    try device.passUntilSent()
    for request in device.syncs.prefix(5) {
      let sent = try SyncRequest(jsonBytes: request.body)
      #expect(sent.mutations.count == 1 && sent.notifications.count == 1)
    }
    #expect(device.server.effects.count == 2)
  }

  /// A person who presses again expects an attempt now.
  @Test func `a press without anything new is tried at once while attempts fail`() throws {
    let device = try TestDevice()
    try device.raise("help")
    device.fate = { $0.url.hasSuffix(Route.sync) ? .fails(.cannotConnect) : .arrives }
    device.tell(.start)
    for failures in 1...4 {
      device.passToWake(3 * failures)
      let before = device.syncs.count
      device.pass(10)
      try device.raise()
      device.tell(.localWork)
      #expect(device.syncs.count == before + 1, "after \(before) attempts")
    }
  }

  @Test func `a poison notification request parks only itself`() throws {
    let device = try TestDevice(CoordinatorTests.once)
    try device.raise("help")
    device.fate = { [server = device.server] request in
      let sent = try? SyncRequest(jsonBytes: request.body)
      return sent?.notifications.isEmpty == false ? .answered(server.problem(.malformedRequest)) : .arrives
    }
    device.tell(.start)
    let left = try device.store.queue()
    #expect(left.map(\.kind) == ["notification.activated"])
    #expect(left.first?.parked != nil)
    #expect(try device.store.status().stage == .accepted)
  }

  @Test func `an alert outside the store is sent by the current run`() throws {
    for event in [SyncEvent.localWork, .timer] {
      let device = try TestDevice()
      device.tell(.start)
      let alert = try Spool.write(AlertDraft(), home: device.home, random: { (3, 3) }, at: device.moment)
      device.tell(event)
      #expect(try device.store.pendingCount() == 0)
      #expect(try device.store.status().alert?.id == alert.id)
      #expect(try device.store.status().stage == .accepted)
    }
  }
}
