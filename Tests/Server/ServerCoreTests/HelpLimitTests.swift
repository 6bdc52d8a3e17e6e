import Model
import Testing
import Wire

@testable import ServerCore

/// Limits hold back news, drills and what is over: never the first "help" and the first "safe" to a responder.
@Suite struct `The first help` {
  private static let hook = "https://ana.example/hook"

  /// Pretends that news was sent so often that the alert has `count` messages.
  private func send(_ count: Int, of alert: AlertID, to contact: ContactID, by device: AlertsDevice) throws {
    let server = device.server
    let target = DeliveryTarget(
      account: device.account, alert: alert, contact: contact, channel: try Channel(Self.hook))
    var writes = WriteSet(account: device.account)
    for number in 1...count {
      var news = StoredDelivery(
        id: AlertsDevice.identifier(), target: target, contactName: "Ana", notice: .activated, state: .sent,
        stateAt: server.now, createdAt: server.now)
      news.callNumber = 10_000 + number
      writes.newDeliveries.append(news)
    }
    try server.store.write { try $0.apply(writes) }
  }

  private func deliver(_ server: AlertsServer) throws -> [String] {
    let attempts = try server.claim()
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    return attempts.map(\.url).sorted()
  }

  /// A person whose only responder was told of their alert.
  private func told() throws -> (device: AlertsDevice, ana: ContactID, alert: AlertID) {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    let ana: ContactID = AlertsDevice.identifier()
    try device.sync([try device.contact(ana, "Ana", Self.hook)])
    let alert = try device.raise()
    #expect(try deliver(server) == [Self.hook])
    return (device, ana, alert)
  }

  @Test func `goes to a responder and a channel that are new in an alert with very many messages`() throws {
    let (device, ana, alert) = try told()
    let server = device.server
    try send(2000, of: alert, to: ana, by: device)
    try device.sync([
      try device.contact(ana, "Ana", Self.hook, "https://ana.example/second"),
      try device.contact(AlertsDevice.identifier(), "Ben", "https://ben.example/hook"),
    ])
    #expect(try deliver(server) == ["https://ana.example/second", "https://ben.example/hook"])
    #expect(try device.receipts(alert).contains { $0.contactName == "Ben" && $0.state == .sent })
  }

  @Test func `leaves no room to news, which takes the messages that are there`() throws {
    let (device, ana, alert) = try told()
    let server = device.server
    try send(1999, of: alert, to: ana, by: device)
    let before = try device.receipts(alert).count
    let update = AlertUpdate(at: server.now, message: "one more call")
    try device.sync([device.mutation(EntityID(alert), server.now, .updateAlert(update))])
    #expect(try device.receipts(alert).count == before)
    #expect(try deliver(server) == [Self.hook])
  }

  @Test func `waits for no other message of the account`() throws {
    let server = try AlertsServer { $0.limits.openDeliveries = 1 }
    let device = try server.signIn("+12025550123")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", Self.hook)])
    let alerts = try (0..<3).map { _ in try device.raise() }
    #expect(try alerts.map { try device.receipts($0).map(\.state) } == [[.queued], [.queued], [.queued]])
    // Nor does "safe": it stands behind the help.
    for alert in alerts { try device.end(alert) }
    let drill = device.activation(isDrill: true)
    let answer = try device.sync([drill], [device.notification(.activated, AlertID(drill.entityID))])
    #expect(answer.waiting.map(\.code) == ["too_many_messages"])
  }

  @Test func `of very many alerts has an end`() throws {
    let server = try AlertsServer {
      $0.limits.openDeliveries = 1
      $0.limits.openCalls = 1
    }
    let device = try server.signIn("+12025550123")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", Self.hook)])
    _ = try (device.raise(), device.raise())
    let third = device.activation()
    let answer = try device.sync([third], [device.notification(.activated, AlertID(third.entityID))])
    #expect(answer.waiting.map(\.code) == ["too_many_messages"])
  }
}
