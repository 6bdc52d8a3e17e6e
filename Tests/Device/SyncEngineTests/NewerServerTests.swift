import LocalStore
import Model
import SyncEngine
import Testing
import Wire

/// A server that uses values unknown to this version of the device.
@Suite struct `With a newer server` {
  @Test func `items with an unknown result stay queued, and are retried with backoff`() throws {
    let device = try TestDevice()
    try device.raise()
    let words = [#""status":"applied""#, #""status":"duplicate""#].map { ($0, #""status":"merged""#) }
    device.fate = Self.replacing(words, of: device)
    device.tell(.start)
    #expect(device.syncs.count == 1)
    #expect(try device.store.pendingCount() == 2)
    let before = device.now
    device.passToWake(6)
    #expect(device.syncs.count <= 7 && device.now - before > 3000)
    device.fate = { _ in .arrives }
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
    #expect(device.server.effects.count == 2)
  }

  @Test func `one unreadable result blocks no other`() throws {
    let device = try TestDevice()
    let contact = try device.addContact("Ana")
    let alert = try device.raise()
    let queue = try device.store.queue()
    let put = try #require(queue.first { $0.entityID == EntityID(contact.id) })
    device.fate = Self.replacing([(#"{"id":"\#(put.id)","#, #"{"id":{"of":"\#(put.id)"},"#)], of: device)
    device.tell(.start)
    #expect(try device.store.queue().map(\.id) == [put.id])
    #expect(
      try device.store.history(limit: 10, before: nil).entries.first { $0.alert.id == alert.id }?.acceptedAt != nil)
    let sent = device.syncs.count
    #expect(sent <= 4)
    device.fate = { _ in .arrives }
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
  }

  @Test func `unknown changes are ignored, and the cursor moves`() throws {
    let device = try TestDevice()
    try device.raise()
    let unknown = #""changes":[{"entity":"place","id":"x"},{"entity":"receipt","receipt":7},"#
    device.fate = Self.replacing([(#""changes":["#, unknown)], of: device)
    device.tell(.start)
    #expect(try device.store.pendingCount() == 0)
    #expect(try device.store.syncState().cursor == "e1:1")
    #expect(try device.store.history(limit: 10, before: nil).entries.count == 1)
  }

  @Test func `an unknown problem code discards nothing, and its delay is honored`() throws {
    let device = try TestDevice()
    try device.raise()
    for status in [400, 404, 409, 413, 418, 422, 503] {
      device.fate = { _ in
        let body = #"{"type":"urn:lifesignal:problem:beyond-words","status":\#(status),"detail":"wait"}"#
        return .answered(
          HTTPAnswer(status: status, headers: ["content-type": Problem.mediaType], body: Array(body.utf8)))
      }
      if status == 400 { device.tell(.start) }
      device.passToWake(5)
    }
    #expect(try device.store.queue().allSatisfy { $0.parked == nil })
    #expect(try device.store.pendingCount() == 2)
    device.fate = { _ in .arrives }
    try device.passUntilSent()
    #expect(try device.store.pendingCount() == 0)
  }

  private static func replacing(
    _ words: [(old: String, new: String)], of device: TestDevice
  ) -> (TransportRequest) -> TestDevice.Fate {
    { [server = device.server] request in
      guard request.url.hasSuffix(Route.sync) else { return .arrives }
      let answer = server.answer(request)
      let text = words.reduce(String(decoding: answer.body, as: UTF8.self)) { $0.replacing($1.old, with: $1.new) }
      return .answered(HTTPAnswer(status: answer.status, headers: answer.headers, body: Array(text.utf8)))
    }
  }
}
