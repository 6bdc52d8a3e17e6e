import Model
import Testing
import Wire

@testable import ServerCore

/// The server's wall clock may be set to anything: no call for help waits for days, or is given up, because of it.
@Suite struct `The server's clock` {
  let server: AlertsServer
  let device: AlertsDevice

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
  }

  @Test func `set back holds up nothing that waits for its next attempt`() throws {
    _ = try device.raise()
    let first = try #require(try server.claim().first)
    try server.complete(first, .networkFailure("reset"))
    server.advance(seconds: -3 * 86_400)
    #expect(try server.nextDue() == server.now)
    #expect(try server.claim().map(\.id) == [first.id])
  }

  @Test func `set back ends the leases of a process that is gone`() throws {
    _ = try device.raise()
    let first = try #require(try server.claim().first)
    server.advance(seconds: -3 * 86_400)
    #expect(try server.nextDue() == server.now)
    #expect(try server.claim().map(\.id) == [first.id])
    #expect(try server.nextDue() == server.now.advanced(byMilliseconds: 60_000))
  }

  @Test
  func `set forward ends a lease early, and the answer to what was said before is not taken for what is said now`()
    throws
  {
    let alert = try device.raise(message: "one")
    let first = try #require(try server.claim().first)
    let update = AlertUpdate(at: server.now, message: "two")
    try device.sync([device.mutation(EntityID(alert), server.now, .updateAlert(update))])
    server.advance(seconds: 97 * 60)
    let second = try #require(try server.claim().first)
    #expect(second.id == first.id && String(decoding: second.body, as: UTF8.self).contains("Message: two"))
    try server.complete(first, .status(200, retryAfter: nil))
    #expect(try device.receipts(alert).map(\.state) == [.queued])
    try server.complete(second, .status(503, retryAfter: nil))
    server.advance(seconds: 3600)
    let third = try #require(try server.claim().first)
    #expect(String(decoding: third.body, as: UTF8.self).contains("Message: two"))
    try server.complete(second, .status(404, retryAfter: nil))
    try server.complete(third, .status(200, retryAfter: nil))
    #expect(try device.receipts(alert).map(\.state) == [.sent])
  }

  @Test func `set forward gives no call for help up`() throws {
    let alert = try device.raise()
    server.advance(seconds: 3 * 86_400)
    for answer in [
      DeliveryAnswer.networkFailure("reset"), .status(503, retryAfter: nil), .status(404, retryAfter: nil),
    ] {
      try server.complete(try #require(try server.claim().first), answer)
      server.advance(seconds: 30)
      #expect(try device.receipts(alert).map(\.state) == [.queued])
    }
    try server.complete(try #require(try server.claim().first), .status(200, retryAfter: nil))
    #expect(try device.receipts(alert).map(\.state) == [.sent])
  }
}
