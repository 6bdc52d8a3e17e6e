import Model
import Testing
import Wire

@testable import ServerCore

/// Tests one exchange: idempotency (invariant I3), the order per entity, and that the first start and the first end
/// count (I6).
@Suite struct `An exchange` {
  let server: AlertsServer
  let device: AlertsDevice

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
  }

  @Test func `stores an alert and returns its time`() throws {
    let started = device.activation(
      message: "fell", location: try Location(latitude: 52.52, longitude: 13.405), isDrill: true, offset: 120)
    let answer = try device.sync([started])
    #expect(answer.results == [ItemResult(id: started.id.description, status: .applied, appliedAt: server.now)])
    let record = try #require(answer.alerts.first)
    #expect(record.ordinal == 1 && record.receivedAt == server.now && record.endReceivedAt == nil)
    #expect(record.alert.message == "fell" && record.alert.isDrill && record.alert.location?.latitude == 52.52)
    #expect(answer.serverTime == server.now && !answer.hasMore)
    #expect(try device.sync().changes.isEmpty)
  }

  @Test func `the same mutation ten times has one effect`() throws {
    let started = device.activation()
    let ended = device.deactivation(AlertID(started.entityID))
    let told = device.notification(.activated, AlertID(started.entityID))
    let first = try device.sync([started, ended], [told])
    #expect(first.statuses == [.applied, .applied, .applied])
    for _ in 0..<10 {
      server.advance(seconds: 1)
      let again = try device.sync([started, ended], [told])
      #expect(again.statuses == [.duplicate, .duplicate, .duplicate])
      #expect(again.results.map(\.appliedAt) == first.results.map(\.appliedAt))
      #expect(again.changes.isEmpty)
    }
    #expect(try device.another().sync().alerts.count == 1)
  }

  @Test func `the same id with another body is refused for that item alone`() throws {
    let started = device.activation(message: "one")
    try device.sync([started])
    let other = Mutation(
      id: started.id, entityID: started.entityID, occurredAt: started.occurredAt,
      change: device.activation(startedAt: started.occurredAt, message: "two").change)
    let fresh = device.activation()
    let answer = try device.sync([other, fresh])
    #expect(answer.codes == ["mutation_id_reused", nil])
    #expect(answer.results[0].message?.contains("422") == true)
    #expect(try device.another().sync().alerts.first?.alert.message == "one")
  }

  @Test func `white space and the order of members do not make another body`() throws {
    let id: MutationID = AlertsDevice.identifier()
    let alert: EntityID = AlertsDevice.identifier()
    let bodies = [
      #"{"message":"a","drill":false}"#, #"{ "drill" : false, "message" : "\u0061", "location":null }"#,
    ]
    let statuses = try bodies.map { body in
      let item =
        #"{"id":"\#(id)","kind":"alert.activate","entity_id":"\#(alert)","occurred_at":"\#(server.now)","body":\#(body)}"#
      let text = #"{"device_id":"\#(device.id)","mutations":[\#(item)]}"#
      let outcome = server.send("POST", Route.sync, Array(text.utf8), token: device.token)
      return try SyncResponse(jsonBytes: outcome.body).results[0].status
    }
    #expect(statuses == [.applied, .duplicate])
  }

  @Test func `after a rejected item its entity is skipped, and others continue`() throws {
    let unknown: AlertID = AlertsDevice.identifier()
    let refused = device.deactivation(unknown)
    let behind = device.activation(unknown)
    let told = device.notification(.activated, unknown)
    let other = device.activation()
    let answer = try device.sync([refused, behind, other], [told])
    #expect(answer.results.map(\.id) == [refused.id.description, other.id.description])
    #expect(answer.codes == ["unknown_alert", nil])
    // The id of an item that was refused temporarily may be used again.
    #expect(try device.sync([behind, refused]).statuses == [.applied, .applied])
  }

  @Test func `a rejected item is rejected again, with the same reason`() throws {
    let refused = try device.contact(AlertsDevice.identifier(), "Ana", "http://plain.example/hook")
    let first = try device.sync([refused])
    #expect(first.codes == ["invalid_channel"])
    let again = try device.sync([refused])
    #expect(again.results == first.results)
  }

  @Test func `a start never changes, and the first end counts`() throws {
    let started = device.activation(message: "first")
    let alert = AlertID(started.entityID)
    try device.sync([started])
    server.advance(seconds: 10)
    try device.sync([device.activation(alert, message: "second")])
    let end = server.now
    try device.sync([device.deactivation(alert)])
    server.advance(seconds: 10)
    let answer = try device.sync([device.deactivation(alert), device.activation(alert)])
    #expect(answer.statuses == [.applied, .applied])
    #expect(answer.changes.isEmpty)
    let record = try #require(try device.another().sync().alerts.first)
    #expect(record.alert.startedAt == started.occurredAt && record.alert.message == "first")
    #expect(record.alert.endedAt == end && record.endReceivedAt == end)
  }

  @Test func `a contact is replaced as a whole and removed`() throws {
    let contact: ContactID = AlertsDevice.identifier()
    try device.sync([try device.contact(contact, "Ana", "https://a.example/1", "mailto:a@example.org")])
    try device.sync([try device.contact(contact, "Bea", isResponder: false)])
    let seen = try device.another().sync().changes
    guard case .contact(contact, let record?) = seen[0], seen.count == 1 else {
      Issue.record("not one contact: \(seen)")
      return
    }
    #expect(record.details.name == "Bea" && record.details.channels.isEmpty && !record.details.isResponder)
    #expect(record.webhookSecret.hasPrefix("whsec_"))
    let removal = device.removal(EntityID(contact))
    #expect(try device.sync([removal]).changes == [.contact(contact, nil)])
    #expect(try device.sync([device.removal(EntityID(contact))]).statuses == [.applied])
    #expect(try device.another().sync().changes == [.contact(contact, nil)])
  }

  @Test func `limits refuse items, not the exchange`() throws {
    let small = try AlertsServer {
      $0.limits.contacts = 2
      $0.limits.newAlerts.burst = 1
      $0.limits.openDeliveries = 0
      $0.limits.openCalls = 0
    }
    let device = try small.signIn("+12025550123")
    let contacts = try (0..<3).map { _ in try device.contact() }
    let first = device.activation()
    let answer = try device.sync(
      contacts + [first, device.activation()], [device.notification(.activated, AlertID(first.entityID))])
    #expect(answer.codes == [nil, nil, "too_many_contacts", nil])
    #expect(answer.waiting.map(\.code) == ["too_many_alerts", "too_many_messages"])
    try device.sync([device.removal(contacts[0].entityID)])
    #expect(try device.sync([contacts[2]]).statuses == [.applied])
  }

  @Test func `a message without room gets no result, and is accepted later`() throws {
    let small = try AlertsServer { $0.limits.openDeliveries = 1 }
    let device = try small.signIn("+12025550123")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/")])
    _ = try device.raise()
    let second = device.activation()
    let alert = AlertID(second.entityID)
    let help = device.notification(.activated, alert)
    let safe = device.notification(.deactivated, alert)
    let answer = try device.sync([second, device.deactivation(alert)], [help, safe])
    #expect(answer.statuses == [.applied, .applied], "the items after it must wait too")
    try small.complete(try #require(try small.claim().first), .status(200, retryAfter: nil))
    let again = try device.sync([], [help])
    #expect(again.statuses == [.applied] && again.results.map(\.id) == [help.id.description])
  }

  @Test func `messages of drills and of ended alerts leave room for those of a call for help`() throws {
    let small = try AlertsServer {
      $0.limits.openDeliveries = 8
      $0.limits.openCalls = 0
    }
    let device = try small.signIn("+12025550123")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/")])
    /// Raises and ends one, and returns how many of its two requests the server accepted.
    func live(isDrill: Bool) throws -> Int {
      let alert = device.activation(isDrill: isDrill)
      let id = AlertID(alert.entityID)
      let requests = [device.notification(.activated, id), device.notification(.deactivated, id)]
      return try device.sync([alert, device.deactivation(id)], requests).results.count - 2
    }
    // Each request makes one message about help, and one that waits behind it.
    #expect(try (0..<3).map { _ in try live(isDrill: true) } == [2, 0, 0])
    #expect(try (0..<3).map { _ in try live(isDrill: false) } == [2, 0, 0])
    for _ in 0..<4 { _ = try device.raise() }
    let last = device.activation()
    #expect(try device.sync([last], [device.notification(.activated, AlertID(last.entityID))]).statuses == [.applied])
  }

  @Test func `more items than the limit are too large, so that the device halves its batch`() throws {
    let many = (0..<501).map { _ in device.activation() }
    #expect(device.exchange(many).problem == .bodyTooLarge)
    #expect(try device.sync(Array(many.prefix(500))).statuses.allSatisfy { $0 == .applied })
  }
}

/// Tests that the alert key may only push alerts.
@Suite struct `An exchange with the alert key` {
  @Test func `pushes alerts, pulls nothing and changes no contact`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    let ana = try device.contact(AlertsDevice.identifier(), "Ana", "https://a.example/")
    try device.sync([ana])
    let alert = device.activation()
    let put = try device.contact()
    let answer = try device.sync(
      [alert, put, device.removal(ana.entityID)], [device.notification(.activated, AlertID(alert.entityID))],
      usesAlertKey: true)
    #expect(answer.codes == [nil, "forbidden", "forbidden", nil])
    #expect(answer.changes.isEmpty && answer.cursor.isEmpty && !answer.hasMore)
    #expect(try server.claim().count == 1)
    // With a session the same contact is accepted: the refusal did not use up its id.
    #expect(try device.sync([put]).statuses == [.applied])
    // The changes are two contacts, the alert, the message to the first contact, and "no channel" for the second.
    #expect(try device.another().sync().changes.count == 5)
    for path in [Route.alerts, Route.contacts, Route.events, "\(Route.alerts)/\(alert.entityID)"] {
      #expect(server.send("GET", path, token: device.session.alertKey).problem == .forbidden)
    }
  }
}
