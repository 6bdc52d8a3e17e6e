import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// What the server needs to tell responders the time of the call for help, even if the device's clock is wrong.
@Suite struct `The time of an alert on its way` {
  private func request(_ device: TestDevice) throws -> SyncRequest {
    try SyncRequest(jsonBytes: try #require(device.syncs.last).body)
  }

  @Test func `each exchange has the device's clock, and in the alert's boot also the alert's age`() throws {
    let device = try TestDevice()
    device.boot = "boot-1"
    device.wall = 360_000  // a device in 1970
    try device.raise()
    device.pass(90_000)
    device.tell(.start)
    let sent = try request(device)
    #expect(sent.sentAt == Timestamp(milliseconds: 450_000))
    #expect(sent.ages == Dictionary(uniqueKeysWithValues: sent.mutations.map { ($0.id, 90_000) }))
    #expect(sent.mutations.count == 1)
  }

  @Test func `after another boot only the clock is sent`() throws {
    let device = try TestDevice()
    device.boot = "boot-1"
    try device.raise()
    device.boot = "boot-2"
    let sentAt = device.moment.wall
    device.tell(.start)
    let sent = try request(device)
    #expect(sent.sentAt == sentAt)
    #expect(sent.ages.isEmpty)
  }
}
