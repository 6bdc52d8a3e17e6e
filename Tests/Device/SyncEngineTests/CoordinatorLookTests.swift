import Foundation
import LocalStore
import Testing

/// Changes that nobody announces.
@Suite struct `An idle worker` {
  /// A process may be killed between its commit and its touch of `wake`.
  @Test func `finds a commit without a poke within a minute`() throws {
    let device = try TestDevice(isSignedIn: false)
    device.tell(.start)
    #expect(device.requests.isEmpty)
    try device.signIn()
    try device.raise()
    #expect(try #require(device.wake) <= device.now + 60_000)
    device.passToWake()
    #expect(try device.store.pendingCount() == 0)
  }

  @Test func `checks the spool within a minute, however many events come`() throws {
    let device = try TestDevice()
    device.tell(.start)
    let look = device.now + 60_000
    _ = try Spool.write(AlertDraft(), home: device.home, random: Counter().next, at: device.moment)
    while device.now + 20_000 < look {
      device.pass(20_000)
      device.openStreams()
      #expect(try #require(device.wake) <= look)
    }
    device.passToWake()
    #expect(try device.store.status().stage == .accepted)
  }

  @Test func `checks it with each heartbeat, so that no timer wakes it while they come`() throws {
    let device = try TestDevice()
    device.tell(.start)
    device.openStreams()
    _ = try Spool.write(AlertDraft(), home: device.home, random: Counter().next, at: device.moment)
    device.pass(25_000)
    device.tell(.stream(try #require(device.streams.first), .heartbeat))
    #expect(try device.store.status().stage == .accepted)
    device.pass(25_000)
    device.tell(.stream(try #require(device.streams.first), .heartbeat))
    #expect(device.wake == device.now + 25_000, "supervision of the alert")
  }

  @Test func `retries an unreadable spool within seconds, while everything else continues`() throws {
    let device = try TestDevice()
    try Data().write(to: URL(fileURLWithPath: device.home.spoolPath))
    let start = device.now
    device.tell(.start)
    #expect(device.syncs.count == 1)
    #expect(device.wake == start + 5000)
    try FileManager.default.removeItem(atPath: device.home.spoolPath)
    _ = try Spool.write(AlertDraft(), home: device.home, random: Counter().next, at: device.moment)
    device.passToWake()
    #expect(try device.store.status().stage == .accepted)
    #expect(try #require(device.wake) > device.now + 5000)
  }
}
