import Model
import Testing
import Wire

@testable import ServerCore

/// A drill of which one contact alone is told, and the channels that it makes tested.
@Suite struct `A test of one contact` {
  private let server: AlertsServer
  private let person: AlertsDevice
  private let ana: Mutation
  private let ben: Mutation

  init() throws {
    server = try AlertsServer()
    person = try server.signIn("+12025550123")
    ana = try person.contact(AlertsDevice.identifier(), "Ana", "https://a.example/hook", "https://b.example/hook")
    ben = try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188", "https://c.example/hook")
    try person.sync([ana, ben])
  }

  private func test(_ contact: Mutation) throws -> AlertID {
    let activation = AlertActivation(
      startedAt: server.now, message: nil, location: nil, isDrill: true, utcOffsetMinutes: nil,
      onlyContact: ContactID(contact.entityID))
    let mutation = person.mutation(AlertsDevice.identifier(), server.now, .activateAlert(activation))
    let id = AlertID(mutation.entityID)
    let answer = try person.sync([mutation], [person.notification(.activated, id)])
    try #require(answer.statuses == [.applied, .applied])
    return id
  }

  private func press(_ attempt: DeliveryAttempt) throws -> ServerOutcome {
    let path = try PageScene.pagePath(in: attempt)
    return server.send(
      "POST", "\(path)/acknowledgements", Array("answer=responding".utf8),
      contentType: "application/x-www-form-urlencoded")
  }

  private func tested() throws -> [String: [String]] {
    let list = try JSONDocument(server.send("GET", Route.contacts, token: person.token).body).root.array("contacts")
    var tested: [String: [String]] = [:]
    for contact in list {
      let name = try contact.string("name")
      tested[name] = []
      guard let channels = try contact.optionalArray("tested") else { continue }
      for one in channels { tested[name]?.append(try one.string("channel")) }
    }
    return tested
  }

  private func alert(_ id: AlertID) throws -> StoredAlert {
    try #require(try server.store.read { try $0.alert(id, of: person.account) })
  }

  @Test func `tells that contact, by each of their channels, and nobody else`() throws {
    let id = try test(ana)
    let attempts = try server.claim()
    #expect(Set(attempts.map(\.target.contact)) == [ContactID(ana.entityID)] && attempts.count == 2)
    for attempt in attempts {
      let body = String(decoding: attempt.body, as: UTF8.self)
      #expect(body.contains("DRILL, only a test.") && body.contains("I got this") && !body.contains("needs help"))
    }
    // A new responder hears of a drill that is active, but not of a test of another.
    try person.sync([try person.contact(AlertsDevice.identifier(), "Cem", phone: "+12025550177", "https://d.example/x")]
    )
    #expect(try server.claim().isEmpty)
    #expect(try person.receipts(id).allSatisfy { $0.contactName == "Ana" })
  }

  @Test func `makes the channel tested through whose link its person pressed, and ends after the last`() throws {
    let id = try test(ana)
    let attempts = try server.claim()
    for attempt in attempts { try server.complete(attempt, .status(200, retryAfter: nil)) }
    let first = try #require(attempts.first { $0.url.hasPrefix("https://a.") })
    let second = try #require(attempts.first { $0.url.hasPrefix("https://b.") })
    #expect(try PageScene.pagePath(in: first) != PageScene.pagePath(in: second), "each channel has a link of its own")
    #expect(try tested() == ["Ana": [], "Ben": []])
    #expect(try press(first).status == 303)
    #expect(try tested() == ["Ana": ["https://a.example/hook"], "Ben": []])
    #expect(try alert(id).record.alert.isActive)
    let other = try server.send("GET", PageScene.pagePath(in: second)).text
    #expect(other.contains("<form") && !other.contains("You answered"), "the other channel is still to be tried")
    #expect(try press(second).status == 303)
    #expect(try tested()["Ana"] == ["https://a.example/hook", "https://b.example/hook"])
    #expect(try !alert(id).record.alert.isActive)
    #expect(try server.claim().isEmpty, "nobody is told of the end of a test")
    let page = try server.send("GET", PageScene.pagePath(in: second)).text
    #expect(page.contains("The drill is over") && page.contains("Thank you: the drill reached you."))
  }

  @Test func `tells the person's devices which channels are tested, and that it has ended`() throws {
    let other = person.another()
    try other.sync()
    let id = try test(ben)
    let attempt = try #require(try server.claim().first)
    _ = try press(attempt)
    let answer = try other.sync()
    #expect(answer.alerts.map(\.alert.onlyContact) == [ContactID(ben.entityID)])
    #expect(answer.alerts.map(\.alert.id) == [id] && answer.alerts[0].alert.endedAt != nil)
    let records = answer.changes.compactMap { if case .contact(_, let record?) = $0 { record } else { nil } }
    #expect(records.map(\.tested) == [[TestedChannel(url: "https://c.example/hook", at: server.now)]])
  }

  @Test func `is undone by an edit of the channel's URL, and by no other edit`() throws {
    _ = try test(ben)
    _ = try press(try #require(try server.claim().first))
    let id = ContactID(ben.entityID)
    try person.sync([try person.contact(id, "Benno", phone: "+12025550188", "https://c.example/hook")])
    #expect(try tested()["Benno"] == ["https://c.example/hook"])
    try person.sync([try person.contact(id, "Benno", phone: "+12025550188", "https://e.example/hook")])
    try person.sync([try person.contact(id, "Benno", phone: "+12025550188", "https://c.example/hook")])
    #expect(try tested()["Benno"] == [])
  }

  @Test func `of everybody makes channels tested too, a real alert does not`() throws {
    let alert = try person.raise()
    for attempt in try server.claim() { #expect(try press(attempt).status == 303) }
    #expect(try tested() == ["Ana": [], "Ben": []])
    try person.end(alert)
    _ = try server.claim()
    _ = try person.raise(isDrill: true)
    for attempt in try server.claim() where attempt.url.contains("c.example") { _ = try press(attempt) }
    #expect(try tested() == ["Ana": [], "Ben": ["https://c.example/hook"]])
  }

  @Test func `waits while a real alert is active, and is not sent after half an hour`() throws {
    let alert = try person.raise()
    for attempt in try server.claim() { try server.complete(attempt, .status(200, retryAfter: nil)) }
    let id = try test(ben)
    #expect(try server.claim().isEmpty)
    server.advance(seconds: 31 * 60)
    try person.end(alert)
    let texts = try server.claim().map { String(decoding: $0.body, as: UTF8.self) }
    #expect(texts.allSatisfy { !$0.contains("DRILL") })
    #expect(try person.receipts(id).map(\.state) == [.failed])
  }

  @Test func `says nothing more after its device has ended it`() throws {
    let id = try test(ben)
    try person.sync([person.deactivation(id)])
    #expect(try server.claim().isEmpty)
    #expect(try person.receipts(id).map(\.reason) == ["the alert or the test is over"])
  }

  @Test func `is shown to that contact's own account, and to no other responder`() throws {
    let id = try test(ana)
    let (first, second) = (try server.signIn("+12025550199"), try server.signIn("+12025550188"))
    #expect(first.get("/v1/alerts/\(id)").status == 200)
    #expect(second.get("/v1/alerts/\(id)").status == 404)
    #expect(first.get("/v1/alerts", ["responding": "true"]).text.contains(id.description))
    #expect(!second.get("/v1/alerts", ["responding": "true"]).text.contains(id.description))
    #expect(!second.get("/v1/alerts", ["responding": "true", "active": "true"]).text.contains(id.description))
  }

  @Test func `is no test where the alert is real`() throws {
    let activation = AlertActivation(
      startedAt: server.now, message: nil, location: nil, isDrill: false, utcOffsetMinutes: nil,
      onlyContact: ContactID(ana.entityID))
    let mutation = person.mutation(AlertsDevice.identifier(), server.now, .activateAlert(activation))
    try person.sync([mutation], [person.notification(.activated, AlertID(mutation.entityID))])
    #expect(try Set(server.claim().map(\.target.contact)).count == 2)
  }
}

/// What an exchange says of the server.
@Suite struct `The kinds of channels that a server can serve` {
  @Test func `are named in every answer, also to an alert key`() throws {
    let server = try AlertsServer { $0.smsGateway = GatewayTemplate(url: "https://sms.example/send") }
    let device = try server.signIn("+12025550123")
    #expect(try device.sync().channels == ["webhook", "ntfy", "sms"])
    #expect(try device.sync(usesAlertKey: true).channels == ["webhook", "ntfy", "sms"])
  }

  @Test func `are those that have a driver`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    #expect(try device.sync().channels == ["webhook", "ntfy"])
    let kinds = server.core.configuration.channelKinds
    for kind in Channel.Kind.allCases {
      #expect(kinds.contains(kind) == (server.core.configuration.driver(of: kind) != nil), "\(kind)")
    }
  }
}
