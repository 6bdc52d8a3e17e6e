import Model
import Testing
import Wire

@testable import ServerCore

/// Tests the limits on the number and the rate of a device's new alerts.
@Suite struct `Rates of new alerts` {
  private let server: AlertsServer
  private let device: AlertsDevice

  init() throws {
    server = try AlertsServer {
      $0.limits.newAlerts.burst = 8
      $0.limits.newAlerts.intervalMilliseconds = 10_000
    }
    device = try server.signIn("+12025550123")
  }

  /// Sends `count` new alerts, and returns how many the server accepted.
  private func flood(_ count: Int, usesAlertKey: Bool = false, isDrill: Bool = false) throws -> Int {
    let alerts = (0..<count).map { _ in device.activation(isDrill: isDrill) }
    return try device.sync(alerts, usesAlertKey: usesAlertKey).results.filter { $0.status == .applied }.count
  }

  @Test func `no number of earlier alerts makes the server refuse one`() throws {
    try server.store.write { transaction in
      var writes = WriteSet(account: device.account)
      writes.position = LogPosition(newestOrdinal: 5_000_000)
      try transaction.apply(writes)
    }
    #expect(try device.sync([device.activation()]).statuses == [.applied])
  }

  @Test func `one beyond the rate is deferred with a time, and is accepted then`() throws {
    #expect(try flood(8) == 8)
    let one = device.activation()
    let end = device.deactivation(AlertID(one.entityID))
    let answer = try device.sync([one, end], [device.notification(.activated, AlertID(one.entityID))])
    #expect(answer.results.isEmpty)
    #expect(answer.waiting.map(\.id) == [one.id.description])
    #expect(answer.waiting.map(\.code) == ["too_many_alerts"])
    let wait = try #require(answer.waiting.first).retryAfterMilliseconds
    #expect((1...50_000).contains(wait))
    server.advance(milliseconds: wait - 1)
    #expect(try device.sync([one, end]).results.isEmpty)
    server.advance(milliseconds: 1)
    #expect(try device.sync([one, end]).statuses == [.applied, .applied])
  }

  @Test func `after any flood one more is accepted every ten seconds`() throws {
    for _ in 0..<20 { _ = try flood(100) }
    for _ in 0..<5 {
      server.advance(seconds: 10)
      #expect(try flood(3) == 1)
    }
  }

  @Test func `drills and ended alerts leave room for a real one`() throws {
    #expect(try flood(50, isDrill: true) == 2)
    let history = (0..<50).flatMap { _ in
      let one = device.activation()
      return [one, device.deactivation(AlertID(one.entityID))]
    }
    #expect(try device.sync(history).results.count == 4)
    #expect(try flood(50) == 4)
  }

  @Test func `a flood with the alert key does not limit the session's own alerts`() throws {
    #expect(try flood(100, usesAlertKey: true) == 8)
    #expect(try flood(1, usesAlertKey: true) == 0)
    #expect(try flood(1) == 1)
  }

  @Test func `known alerts do not count`() throws {
    let one = device.activation()
    try device.sync([one])
    for _ in 0..<100 {
      let again = device.activation(AlertID(one.entityID))
      #expect(try device.sync([one, again]).statuses == [.duplicate, .applied])
    }
    #expect(try flood(7) == 7)
  }

  @Test func `a clock that was set back delays nobody`() throws {
    #expect(try flood(8) == 8)
    server.advance(seconds: -20 * 60)
    #expect(try flood(9) == 8)
  }

  @Test func `a restart resets nothing`() throws {
    #expect(try flood(8) == 8)
    try server.restore(try server.copyOfFiles())
    #expect(try flood(1) == 0)
  }
}
