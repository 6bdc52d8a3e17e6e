import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// The second attempt of an alert, as the transport and the store see it.
@Suite struct CoordinatorHedgeTests {
  /// Leaves the first `count` exchanges unanswered.
  private func silence(_ device: TestDevice, first count: Int) {
    device.fate = { request in
      guard request.url.hasSuffix(Route.sync) else { return .arrives }
      return request.id.number <= UInt64(count) ? .hangs : .arrives
    }
  }

  /// Sends an alert twice without an answer.
  private func twoSilentAttempts() throws -> (TestDevice, [RequestID]) {
    let device = try TestDevice()
    try device.raise()
    silence(device, first: 99)
    device.tell(.start)
    device.passToWake()
    try #require(device.syncs.count == 2)
    return (device, device.syncs.map(\.id))
  }

  @Test func `the second attempt has the same bytes on a fresh connection, and its answer ends the first`() throws {
    let device = try TestDevice()
    try device.raise()
    silence(device, first: 1)
    device.tell(.start)
    #expect(try device.store.status().stage == .saved)
    device.passToWake()
    let pushes = device.syncs.prefix(2)
    #expect(pushes.map(\.body) == [device.syncs[0].body, device.syncs[0].body])
    #expect(pushes.map(\.headers) == [device.syncs[0].headers, device.syncs[0].headers])
    #expect(pushes.map(\.needsFreshConnection) == [false, true])
    #expect(device.cancelled.contains(device.syncs[0].id))
    #expect(try device.store.status().stage == .accepted)
    #expect(device.server.effects.count == Set(device.server.effects).count)
  }

  /// If one kept connection is dead, the others may be too.
  @Test func `after silence the alert's next request is on a fresh connection too, and others are not`() throws {
    let (device, attempts) = try twoSilentAttempts()
    for attempt in attempts { device.tell(.failure(attempt, .protocolError("reset"))) }
    device.fate = { _ in .arrives }
    for _ in 0..<1000 where device.syncs.count == 2 { device.passToWake() }
    #expect(device.syncs[2].needsFreshConnection)
    #expect(try device.store.status().stage == .accepted)
    for _ in 0..<1000 where device.syncs.count == 3 { device.passToWake() }
    #expect(!device.syncs[3].needsFreshConnection)
  }

  @Test func `after silence the token that the alert needs is renewed on a fresh connection too`() throws {
    let (device, attempts) = try twoSilentAttempts()
    device.server.accessToken = "another"
    device.server.alertKey = "another"
    let refused = device.server.answer(try #require(device.syncs.last))
    device.tell(.answer(attempts[1], refused))
    device.tell(.answer(try #require(device.syncs.last).id, refused))
    let renewal = try #require(device.requests.last { $0.url.hasSuffix(Route.tokens) })
    #expect(renewal.needsFreshConnection)
  }

  @Test func `a portal's answer to one attempt does not end the other`() throws {
    let device = try TestDevice()
    try device.raise()
    let html = HTTPAnswer(status: 200, headers: ["content-type": "text/html"], body: Array("<html>".utf8))
    device.fate = { $0.needsFreshConnection ? .answered(html) : $0.url.hasSuffix(Route.sync) ? .hangs : .arrives }
    device.tell(.start)
    device.passToWake()
    let first = try #require(device.syncs.first)
    #expect(device.syncs.count == 2)
    #expect(!device.cancelled.contains(first.id))
    #expect(try device.store.queue().allSatisfy { $0.attempts == 0 }, "nothing has failed yet")
    device.tell(.answer(first.id, device.server.answer(first)))
    #expect(try device.store.status().stage == .accepted)
  }

  @Test func `a failure of one attempt does not end the other, and two count as one failure`() throws {
    let (device, attempts) = try twoSilentAttempts()
    device.tell(.failure(attempts[0], .protocolError("reset")))
    #expect(try device.store.queue().allSatisfy { $0.attempts == 0 })
    device.tell(.failure(attempts[1], .protocolError("reset")))
    #expect(try device.store.queue().allSatisfy { $0.attempts == 1 })
  }

  @Test func `the first answer to either attempt wins`() throws {
    let (device, _) = try twoSilentAttempts()
    let requests = device.syncs
    let answers = requests.map { device.server.answer($0) }
    device.tell(.answer(requests[0].id, answers[0]))
    #expect(device.cancelled.contains(requests[1].id))
    device.tell(.answer(requests[1].id, answers[1]))
    #expect(try device.store.status().stage == .accepted)
    #expect(try device.store.pendingCount() == 0)
  }
}
