import Model
import Testing
import Wire

@testable import ServerCore

/// The queue of messages: who is told, when, and what becomes of each.
@Suite struct `Deliveries` {
  let server: AlertsServer
  let device: AlertsDevice

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
  }

  @Test func `every responder is told by every channel, and nobody else`() throws {
    try device.sync([
      try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/hook", "ntfy://n.example/ana"),
      try device.contact(AlertsDevice.identifier(), "Bea", "https://b.example/hook"),
      try device.contact(AlertsDevice.identifier(), "Cleo", "https://c.example/hook", isResponder: false),
    ])
    let alert = try device.raise()
    let attempts = try server.claim()
    #expect(
      attempts.map(\.url).sorted() == ["https://a.example/hook", "https://b.example/hook", "https://n.example/ana"])
    #expect(try device.receipts(alert).map(\.state) == [.queued, .queued, .queued])
    server.advance(seconds: 1)
    let outcome = try server.complete(attempts[0], .status(204, retryAfter: nil))
    #expect(outcome.changedAccounts == [device.account])
    let receipt = try #require(try device.sync().receipts.first)
    #expect(receipt.state == .sent && receipt.at == server.now && receipt.notice == .activated)
    #expect(try server.claim().isEmpty)
  }

  @Test func `what cannot be sent fails at once, and says why`() throws {
    try device.sync([
      try device.contact(AlertsDevice.identifier(), "Ana"),
      try device.contact(AlertsDevice.identifier(), "Bea", "mailto:b@example.org"),
      try device.contact(AlertsDevice.identifier(), "Cleo", "sms:+12025550177"),
    ])
    let receipts = try device.receipts(try device.raise())
    #expect(receipts.allSatisfy { $0.state == .failed })
    #expect(
      receipts.map(\.reason) == ["no channel", "this server has no mail server", "this server has no SMS gateway"])
    #expect(receipts.map(\.channel) == [.noChannel, .mail, .sms])
    #expect(try server.claim().isEmpty)
    #expect(try server.nextDelivery() == nil)
  }

  @Test func `a responder added, or given a channel, while an alert is active is told of it`() throws {
    let alert = try device.raise()
    #expect(try server.claim().isEmpty)
    let contact: ContactID = AlertsDevice.identifier()
    try device.sync([try device.contact(contact, "Ana", "https://a.example/1")])
    #expect(try server.claim().map(\.url) == ["https://a.example/1"])
    try device.sync([try device.contact(contact, "Ana", "https://a.example/1", "https://a.example/2")])
    #expect(try server.claim().map(\.url) == ["https://a.example/2"])
    try device.end(alert)
    try device.sync([try device.contact(AlertsDevice.identifier(), "Bea", "https://b.example/")])
    #expect(try server.claim().isEmpty)
  }

  @Test func `help is not sent any more to a channel or contact that was removed`() throws {
    let contact = try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1", "https://a.example/2")
    try device.sync([contact])
    let alert = try device.raise()
    try device.sync([try device.contact(ContactID(contact.entityID), "Ana", "https://a.example/2")])
    try device.sync([device.removal(contact.entityID)])
    #expect(try device.receipts(alert).map(\.reason) == ["the channel was removed", "the contact was removed"])
    try device.end(alert)
    #expect(try server.claim().isEmpty)
    #expect(try server.nextDelivery() == nil)
  }

  @Test func `who was told of the danger is told of its end, though removed since`() throws {
    let contact = try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")
    try device.sync([contact])
    let alert = try device.raise()
    try server.complete(try #require(try server.claim().first), .status(200, retryAfter: nil))
    try device.sync([device.removal(contact.entityID)])
    try device.end(alert)
    let safe = try #require(try server.claim().first)
    #expect(String(decoding: safe.body, as: UTF8.self).contains("is safe now"))
  }

  @Test func `an end before anybody was told goes out as one message`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let alert = try device.raise()
    server.advance(seconds: 20 * 60)
    try device.end(alert)
    let attempts = try server.claim()
    #expect(attempts.count == 1)
    let text = try #require(attempts.first.map { String(decoding: $0.body, as: UTF8.self) })
    #expect(text.contains("was in danger 12:01–12:21, safe now") && text.contains(#""type":"alert.deactivated""#))
    try server.complete(attempts[0], .status(200, retryAfter: nil))
    #expect(try device.receipts(alert).map(\.state) == [.sent, .sent])
    #expect(try server.claim().isEmpty)
    #expect(try server.nextDelivery() == nil)
  }

  /// As a device offers it to a server that has lost its data.
  @Test func `an end of which nobody could be told yet is told to the responders who come after it`() throws {
    let alert = device.activation()
    let id = AlertID(alert.entityID)
    server.advance(seconds: 60)
    try device.sync([alert, device.deactivation(id)], [device.notification(.deactivated, id)])
    #expect(try server.claim().isEmpty)
    for name in ["Ana", "Bea"] {
      try device.sync([try device.contact(AlertsDevice.identifier(), name, "https://\(name.lowercased()).example/")])
    }
    let attempts = try server.claim()
    #expect(attempts.map(\.url).sorted() == ["https://ana.example/", "https://bea.example/"])
    #expect(attempts.allSatisfy { String(decoding: $0.body, as: UTF8.self).contains("safe now") })
  }

  @Test func `an end of yesterday is told to none who becomes a responder now`() throws {
    let endedAt = server.now.advanced(byMilliseconds: -24 * 3600 * 1000)
    let alert = device.activation(startedAt: endedAt.advanced(byMilliseconds: -60_000))
    let id = AlertID(alert.entityID)
    try device.sync([alert, device.deactivation(id, endedAt: endedAt)], [device.notification(.deactivated, id)])
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://ana.example/")])
    #expect(try server.claim().isEmpty)
  }

  @Test func `an alert that was over before there was any responder is told to none who comes later`() throws {
    try device.end(try device.raise())
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    #expect(try server.claim().isEmpty)
  }

  @Test func `safe waits for the help that is on its way`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let alert = try device.raise()
    let help = try #require(try server.claim().first)
    try device.end(alert)
    #expect(try server.claim().isEmpty)
    let outcome = try server.complete(help, .status(200, retryAfter: nil))
    #expect(outcome.hasNewDeliveries)
    let safe = try #require(try server.claim().first)
    #expect(String(decoding: safe.body, as: UTF8.self).contains("is safe now"))
  }

  @Test func `safe is still tried where help failed for good, and then tells of both`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let alert = try device.raise()
    for _ in 0..<3 {
      try server.complete(try #require(try server.claim().first), .status(404, retryAfter: nil))
      server.advance(seconds: 30)
    }
    #expect(try device.receipts(alert).map(\.state) == [.queued])
    for _ in 0..<120 {
      guard let attempt = try server.claim().first else { break }
      try server.complete(attempt, .status(410, retryAfter: nil))
      server.advance(seconds: 30)
    }
    #expect(try device.receipts(alert).map(\.reason) == ["the channel answered 410"])
    // The access token has expired meanwhile.
    try server.signIn("+12025550123").end(alert)
    let safe = try #require(try server.claim().first)
    #expect(String(decoding: safe.body, as: UTF8.self).contains("was in danger"))
  }

  @Test func `safe before its end is refused`() throws {
    let alert = try device.raise()
    #expect(try device.sync([], [device.notification(.deactivated, alert)]).codes == ["alert_not_ended"])
  }

  @Test func `what says that somebody is safe waits while another alert of theirs is active`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let first = try device.raise(message: "one")
    try server.complete(try #require(try server.claim().first), .status(500, retryAfter: nil))
    try device.end(first)
    server.advance(seconds: 60)
    // It was claimed before they called for help again: the new call breaks it off.
    let stale = try #require(try server.claim().first)
    let second = try device.raise(message: "two")
    let help = try #require(try server.claim().first)
    #expect(String(decoding: help.body, as: UTF8.self).contains("Message: two"))
    #expect(help.replaces(stale) && !stale.replaces(help))
    try server.complete(help, .status(200, retryAfter: nil))
    for _ in 0..<3 {
      server.advance(seconds: 120)
      try expectHelpAlone()
    }
    #expect(try device.receipts(first).map(\.state) == [.queued, .queued])
    #expect(try device.receipts(first).contains { $0.reason == "another alert is active" })
    try device.end(second)
    // At once, not when they were to be looked at again.
    var texts: [String] = []
    while let attempt = try server.claim(limit: 1).first {
      texts.append(String(decoding: attempt.body, as: UTF8.self))
      try server.complete(attempt, .status(200, retryAfter: nil))
    }
    #expect(texts.count == 2 && texts.allSatisfy { $0.contains("safe now") })
    #expect(try device.receipts(first).allSatisfy { $0.state == .sent && $0.reason == nil })
  }

  /// Sends what is due: only what asks for help again.
  private func expectHelpAlone() throws {
    for attempt in try server.claim() {
      #expect(attempt.saysHelp)
      try server.complete(attempt, .status(200, retryAfter: nil))
    }
  }

  @Test func `a drill waits while a real alert is active, and is told when that is over`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let drill = try device.raise(message: "testing", isDrill: true)
    // It was claimed before they called for help: the call breaks it off.
    let stale = try #require(try server.claim().first)
    let alert = try device.raise()
    let help = try #require(try server.claim().first)
    #expect(String(decoding: help.body, as: UTF8.self).contains("needs help"))
    #expect(help.replaces(stale) && !stale.replaces(help))
    try server.complete(help, .status(200, retryAfter: nil))
    let other = try device.another().raise(message: "of another device", isDrill: true)
    #expect(try server.claim().isEmpty)
    server.advance(seconds: 90)
    try expectHelpAlone()
    #expect(try device.receipts(drill).map(\.reason) == ["another alert is active"])
    #expect(try device.receipts(other).map(\.state) == [.queued])
    let answer = try device.sync([device.deactivation(alert)])
    #expect(answer.statuses == [.applied])
    #expect(try server.nextDue() == server.now)
    let texts = try server.claim().map { String(decoding: $0.body, as: UTF8.self) }
    #expect(texts.count == 2 && texts.allSatisfy { $0.contains("DRILL, only a test") })
  }

  @Test func `a drill that is active holds up no word that somebody is safe`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let alert = try device.raise()
    try server.complete(try #require(try server.claim().first), .status(200, retryAfter: nil))
    _ = try device.raise(isDrill: true)
    try device.end(alert)
    #expect(try server.claim().contains { String(decoding: $0.body, as: UTF8.self).contains("is safe now") })
  }

  @Test func `after a crash the lease runs out, and the message is tried again as things are then`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let alert = try device.raise()
    let first = try #require(try server.claim().first)
    try server.restore(try server.copyOfFiles())
    #expect(try server.claim().isEmpty)
    #expect(try server.nextDue() == server.now.advanced(byMilliseconds: 60_000))
    server.advance(milliseconds: 59_999)
    #expect(try server.claim().isEmpty)
    try device.end(alert)
    server.advance(milliseconds: 1)
    let second = try #require(try server.claim().first)
    #expect(second.id == first.id && second.headers != first.headers)
    #expect(String(decoding: second.body, as: UTF8.self).contains("was in danger"))
    try server.complete(second, .status(200, retryAfter: nil))
    // The answer of the one that was given up comes too late to matter.
    try server.complete(first, .networkFailure("reset"))
    #expect(try device.receipts(alert).map(\.state) == [.sent, .sent])
  }

  @Test func `a server that starts takes over at once what another had under way when it was killed`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let alert = try device.raise(message: "one")
    let first = try #require(try server.claim().first)
    try server.restore(try server.copyOfFiles())
    server.advance(seconds: 1)
    try server.core.takeOverDeliveries(at: server.moment(), in: server.store)
    let update = AlertUpdate(at: server.now, message: "two")
    try device.sync([device.mutation(EntityID(alert), server.now, .updateAlert(update))])
    #expect(try server.nextDue() == server.now)
    let second = try #require(try server.claim().first)
    #expect(second.id == first.id && String(decoding: second.body, as: UTF8.self).contains("Message: two"))
    try server.complete(second, .status(200, retryAfter: nil))
    #expect(try device.receipts(alert).map(\.state) == [.sent])
    #expect(try server.claim().isEmpty)
  }

  @Test func `failures are waited out with jitter, and told`() throws {
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/1")])
    let alert = try device.raise()
    for attempt in 0..<40 {
      let claimed = try #require(try server.claim().first)
      try server.complete(claimed, attempt.isMultiple(of: 2) ? .status(503, retryAfter: nil) : .networkFailure("reset"))
      let due = try #require(try server.nextDelivery())
      let bound = min(30_000, Int64(500) << min(attempt, 10))
      #expect((0...bound).contains(due.milliseconds(since: server.now)))
      server.advance(milliseconds: due.milliseconds(since: server.now))
    }
    #expect(try device.receipts(alert).map(\.state) == [.queued])
    #expect(try device.receipts(alert).map(\.reason) == ["reset"])
    let claimed = try #require(try server.claim().first)
    try server.complete(claimed, .status(503, retryAfter: "9999999"))
    #expect(try server.nextDelivery() == server.now.advanced(byMilliseconds: 300_000))
    server.advance(seconds: 24 * 3600)
    // As long as the alert is active it is tried on.
    for _ in 0..<9 {
      try server.complete(try #require(try server.claim().first), .status(503, retryAfter: nil))
      server.advance(seconds: 900)
    }
    #expect(try device.receipts(alert).map(\.state) == [.queued])
    try device.sync([device.deactivation(alert)], usesAlertKey: true)
    server.advance(seconds: 24 * 3600)
    try server.complete(try #require(try server.claim().first), .status(503, retryAfter: nil))
    #expect(try device.receipts(alert).map(\.state) == [.failed])
    #expect(try server.nextDelivery() == nil)
  }

  @Test func `plain channels and private addresses only where they are allowed`() throws {
    let plain = ["http://a.example/", "ntfy+http://n.example/ana"]
    let answer = try device.sync(try plain.map { try device.contact(AlertsDevice.identifier(), "Ana", $0) })
    #expect(answer.codes == ["invalid_channel", "invalid_channel"])

    let lenient = try AlertsServer { $0.allowsPrivateChannels = true }
    let other = try lenient.signIn("+12025550123")
    for url in plain + ["ntfy://localhost:8099/ana", "ntfy://127.0.0.1:8099/ana", "ntfy://n.example/ana"] {
      try other.sync([try other.contact(AlertsDevice.identifier(), "Ana", url)])
    }
    _ = try other.raise()
    let attempts = try lenient.claim()
    #expect(!attempts.contains { $0.request.addresses != .any })
    #expect(
      attempts.map(\.url).sorted() == [
        "http://127.0.0.1:8099/ana", "http://a.example/", "http://localhost:8099/ana", "http://n.example/ana",
        "https://n.example/ana",
      ])
  }
}
