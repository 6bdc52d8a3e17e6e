import Model
import Testing
import Wire

@testable import ServerCore

/// A call for help that was dropped because its contact or channel was removed is sent when they are restored.
@Suite struct `A delivery to a removed contact or channel` {
  let server: AlertsServer
  let device: AlertsDevice
  let ana: ContactID = AlertsDevice.identifier()

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
    try device.sync([try device.contact(ana, "Ana", "https://a.example/1", "https://a.example/2")])
  }

  enum Way: CaseIterable { case channel, contact, responder }

  private func takeAway(_ way: Way) throws {
    switch way {
    case .channel: try device.sync([try device.contact(ana, "Ana", "https://a.example/2")])
    case .contact: try device.sync([device.removal(EntityID(ana))])
    case .responder:
      try device.sync([
        try device.contact(ana, "Ana", "https://a.example/1", "https://a.example/2", isResponder: false)
      ])
    }
  }

  private func putBack() throws {
    try device.sync([try device.contact(ana, "Ana", "https://a.example/1", "https://a.example/2")])
  }

  private func text(_ attempt: DeliveryAttempt) -> String { String(decoding: attempt.body, as: UTF8.self) }

  @Test(arguments: Way.allCases) func `is sent when they are restored`(way: Way) throws {
    let alert = try device.raise()
    try takeAway(way)
    #expect(try device.receipts(alert).contains { $0.state == .failed })
    server.advance(seconds: 60)
    try putBack()
    #expect(try device.receipts(alert).allSatisfy { $0.state == .queued && $0.reason == nil })
    let attempts = try server.claim()
    #expect(attempts.map(\.url).sorted() == ["https://a.example/1", "https://a.example/2"])
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    try device.end(alert)
    #expect(try server.claim().map { text($0).contains("is safe now") } == [true, true])
  }

  @Test(arguments: Way.allCases) func `that had been tried is retried when they are restored`(way: Way) throws {
    let alert = try device.raise()
    for attempt in try server.claim() { try server.complete(attempt, .networkFailure("reset")) }
    try takeAway(way)
    try putBack()
    server.advance(seconds: 1)
    #expect(try device.receipts(alert).allSatisfy { $0.state == .queued })
    // A host that failed gets one retry at a time until it answers.
    var urls: [String] = []
    for _ in 0..<2 {
      for attempt in try server.claim() {
        urls.append(attempt.url)
        try server.complete(attempt, .status(200, retryAfter: nil))
      }
    }
    #expect(urls.sorted() == ["https://a.example/1", "https://a.example/2"])
  }

  @Test(arguments: Way.allCases)
  func `that may have arrived is revoked without any later message`(way: Way) throws {
    let alert = try device.raise(message: "one")
    for attempt in try server.claim() { try server.complete(attempt, .status(500, retryAfter: nil)) }
    try takeAway(way)
    let update = AlertUpdate(at: server.now, message: "hidden place", location: try Location(latitude: 8, longitude: 9))
    try device.sync([device.mutation(EntityID(alert), server.now, .updateAlert(update))])
    try device.end(alert)
    // The remaining channel gets the later messages.
    let attempts = try server.claim().filter { way != .channel || $0.url == "https://a.example/1" }
    let texts = attempts.map(text)
    #expect(texts.count == (way == .channel ? 1 : 2) && texts.allSatisfy { $0.contains("safe now") })
    #expect(texts.allSatisfy { !$0.contains("hidden") && !$0.contains("\"one\"") && !$0.contains("8.0") })
  }

  @Test func `in flight is awaited, and its outcome is shown`() throws {
    let alert = try device.raise()
    let attempts = try server.claim()
    try takeAway(.contact)
    #expect(try device.receipts(alert).map(\.reason) == ["the contact was removed", "the contact was removed"])
    #expect(try device.receipts(alert).map(\.state) == [.queued, .queued])
    try server.complete(attempts[0], .status(200, retryAfter: nil))
    try server.complete(attempts[1], .status(503, retryAfter: nil))
    let receipts = try device.receipts(alert)
    #expect(Set(receipts.map(\.state)) == [.sent, .failed])
    #expect(receipts.first { $0.state == .failed }?.reason == "the contact was removed")
    #expect(try server.nextDelivery() == nil)
  }

  @Test func `whose sender died is not sent after the lease has ended`() throws {
    let alert = try device.raise()
    #expect(try server.claim().count == 2)
    try takeAway(.contact)
    server.advance(seconds: 60)
    #expect(try server.claim().isEmpty)
    #expect(try device.receipts(alert).map(\.state) == [.failed, .failed])
    #expect(try server.nextDelivery() == nil)
  }

  @Test func `in flight is not sent a second time in parallel when they are restored`() throws {
    let alert = try device.raise()
    let attempts = try server.claim()
    try takeAway(.contact)
    try putBack()
    #expect(try server.claim().isEmpty)
    try device.end(alert)
    #expect(try server.claim().isEmpty, "safe would overtake help")
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(try server.claim().map { text($0).contains("is safe now") } == [true, true])
  }

  @Test func `is restored with its end when the same alert is sent again`() throws {
    let alert = try device.raise()
    try takeAway(.contact)
    server.advance(seconds: 60)
    try device.end(alert)
    #expect(try device.receipts(alert).allSatisfy { $0.state == .failed })
    try putBack()
    #expect(try server.claim().isEmpty)
    // A device does this when it finds that the server was restored from a backup.
    try device.sync([], [device.notification(.activated, alert), device.notification(.deactivated, alert)])
    let attempts = try server.claim()
    #expect(attempts.count == 2 && attempts.allSatisfy { text($0).contains("was in danger") })
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    #expect(try device.receipts(alert).allSatisfy { $0.state == .sent })
    #expect(try server.nextDelivery() == nil)
  }
}
