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

  @Test func `looks two seconds after somebody wrote, whether or not a poke follows`() throws {
    let device = try TestDevice()
    device.tell(.start)
    device.openStreams()
    let restAt = try #require(device.wake)
    device.pass(1000)
    device.tell(.storeWritten)
    let lookAt = device.now + 2000
    #expect(device.wake == lookAt)
    // In the middle of the commit of another process, which is killed before its poke.
    device.pass(500)
    device.tell(.localWork)
    _ = try Spool.write(AlertDraft(), home: device.home, random: Counter().next, at: device.moment)
    device.tell(.storeWritten)
    #expect(device.wake == lookAt)
    device.passToWake()
    #expect(try device.store.status().stage == .accepted)
    #expect(device.now < restAt)
  }

  @Test func `is woken by no timer while heartbeats come ten minutes apart, and looks when one is missing`() throws {
    let device = try TestDevice()
    device.tell(.start)
    var seconds: Int64 = 0
    for _ in 0..<20 where seconds < 600 {
      device.openStreams()
      let url = try #require(device.requests.last { $0.isStream }).url
      seconds = url.split(separator: "=").last.flatMap { Int64($0) } ?? 25
      device.pass(seconds * 1000)
      device.tell(.stream(try #require(device.streams.first), .heartbeat))
      if seconds < 600 { device.passToWake() }
    }
    #expect(device.requests.last { $0.isStream }?.url.hasSuffix("/v1/events?heartbeat=600") == true)
    for _ in 0..<5 {
      #expect(device.wake == device.now + 635_000)
      device.pass(600_000)
      device.tell(.stream(try #require(device.streams.first), .heartbeat))
    }
    _ = try Spool.write(AlertDraft(), home: device.home, random: Counter().next, at: device.moment)
    device.passToWake()
    #expect(try device.store.status().stage == .accepted)
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
