import Model
import Testing
import Wire

@testable import ServerCore

/// Tests reads, and that each account sees only what it may see (invariant I7).
@Suite struct `Reads` {
  let server: AlertsServer
  /// The person who raises alerts. Ana is one of their responders, and Bea is a contact only.
  let person: AlertsDevice
  let ana: AlertsDevice
  let bea: AlertsDevice

  init() throws {
    server = try AlertsServer()
    person = try server.signIn("+12025550123")
    ana = try server.signIn("+12025550124")
    bea = try server.signIn("+12025550125")
    try person.sync([
      try person.contact(AlertsDevice.identifier(), "Ana", phone: "+12025550124", "https://a.example/1"),
      try person.contact(AlertsDevice.identifier(), "Bea", phone: "+12025550125", isResponder: false),
      try person.contact(AlertsDevice.identifier(), "Zoe", phone: "+12025550126", "https://z.example/1"),
    ])
  }

  @Test func `a list is paged by each answer's next, newest first`() throws {
    let alerts = (0..<7).map { _ in person.activation() }
    try person.sync(alerts)
    try person.sync([person.deactivation(AlertID(alerts[6].entityID))])
    var ordinals: [Int] = []
    var query = ["limit": "3"]
    for number in 1...3 {
      let page = try JSONDocument(person.get(Route.alerts, query).body).root
      ordinals += try page.array("alerts").map { try $0.integer("ordinal") }
      query["before"] = try page.optionalString("next")
      #expect((query["before"] != nil) == (number < 3), "page \(number)")
    }
    #expect(ordinals == [7, 6, 5, 4, 3, 2, 1])
    let active = try JSONDocument(person.get(Route.alerts, ["active": "true", "limit": "2"]).body).root
    #expect(try active.array("alerts").map { try $0.integer("ordinal") } == [6, 5])
  }

  @Test func `a responder sees the alerts of people who named them, page by page, and others see none`() throws {
    let own = try ana.raise()
    let alerts = try (0..<4).map { _ in
      server.advance(seconds: 1)
      return try person.raise()
    }
    func seen(_ device: AlertsDevice, _ query: [String: String]) throws -> [String] {
      var ids: [String] = []
      var query = query
      for _ in 1...9 {
        let page = try JSONDocument(device.get(Route.alerts, query).body).root
        ids += try page.array("alerts").map { try $0.string("id") }
        guard let next = try page.optionalString("next") else { return ids }
        query["before"] = next
      }
      Issue.record("the list has no last page: \(ids)")
      return ids
    }
    let expected = alerts.reversed().map(\.description) + [own.description]
    #expect(try seen(ana, ["responding": "true", "limit": "2"]) == expected)
    #expect(try seen(ana, [:]) == [own.description])
    #expect(try seen(bea, ["responding": "true"]).isEmpty)
  }

  @Test func `an account sees its own alerts, a responder those of people who named them, and others none`() throws {
    let alert = try person.raise(message: "help")
    let path = "\(Route.alerts)/\(alert)"
    let own = try JSONDocument(person.get(path).body).root
    #expect(try own.array("receipts").map { try $0.string("contact_name") } == ["Ana", "Zoe"])
    #expect(try own.required("person").string("phone") == "+12025550123")
    let seen = try JSONDocument(ana.get(path).body).root
    #expect(try seen.string("message") == "help")
    #expect(try seen.array("receipts").map { try $0.string("contact_name") } == ["Ana"])
    #expect(bea.get(path).problem == .notFound)
    #expect(try bea.sync().changes.isEmpty && ana.sync().changes.isEmpty)
    // Only its owner can end an alert, and another account may use the same id for its own alert.
    #expect(try ana.sync([ana.deactivation(alert)]).codes == ["unknown_alert"])
    #expect(try bea.sync([bea.activation(alert, message: "mine")]).statuses == [.applied])
    #expect(try JSONDocument(bea.get(path).body).root.string("message") == "mine")
    #expect(try JSONDocument(person.get(path).body).root.string("message") == "help")
    #expect(try JSONDocument(ana.get(path).body).root.string("message") == "help")
  }

  @Test func `an account sees its own contacts, each with its own secret`() throws {
    let contacts = try JSONDocument(person.get(Route.contacts).body).root.array("contacts")
    let secrets = try contacts.map { try $0.string("webhook_secret") }
    #expect(secrets.count == 3 && Set(secrets).count == 3)
    #expect(try JSONDocument(ana.get(Route.contacts).body).root.array("contacts").map { _ in 1 }.isEmpty)
  }

  @Test func `a responder can acknowledge an alert`() throws {
    let alert = try person.raise()
    let path = "\(Route.alerts)/\(alert)/acknowledgements"
    server.advance(seconds: 5)
    let outcome = server.send("POST", path, token: ana.token, contentType: nil)
    #expect(outcome.status == 200 && outcome.changedAccounts == [person.account])
    let receipts = try person.sync().receipts
    #expect(receipts.first { $0.contactName == "Ana" }?.state == .acknowledged)
    #expect(receipts.first { $0.contactName == "Ana" }?.at == server.now)
    #expect(try person.receipts(alert).map(\.state) == [.acknowledged, .queued])
    // A responder who has acknowledged the alert gets only its end.
    #expect(try server.claim().map(\.url) == ["https://z.example/1"])
    try person.end(alert)
    #expect(try server.claim().map(\.url) == ["https://a.example/1"])

    #expect(server.send("POST", path, token: person.token).problem == .forbidden)
    #expect(server.send("POST", path, token: bea.token).problem == .notFound)
    #expect(server.send("POST", path, token: ana.token).problem == .conflict)
  }

  @Test func `a silence of more than 90 seconds is shown while the alert is active`() throws {
    let alert = try person.raise()
    let last = server.now
    func since() throws -> Timestamp? {
      try JSONDocument(ana.get("\(Route.alerts)/\(alert)").body).root.optionalTimestamp("no_contact_since")
    }
    server.advance(seconds: 90)
    #expect(try since() == nil)
    server.advance(milliseconds: 1)
    #expect(try since() == last)
    // A request of another device of the account does not end the silence.
    try person.another().sync()
    #expect(try since() == last)
    try person.sync([], usesAlertKey: true)
    #expect(try since() == nil)
    server.advance(seconds: 100)
    let attempt = try #require(try server.claim().first)
    #expect(String(decoding: attempt.body, as: UTF8.self).contains("No contact since 12:04"))
    try person.end(alert)
    server.advance(seconds: 200)
    #expect(try since() == nil)
  }

  @Test(arguments: [
    ["limit": "0"], ["limit": "501"], ["limit": "x"], ["active": "yes"], ["before": "0"], ["before": "x"],
    ["responding": "true", "before": "7"], ["responding": "true", "before": "7.x"], ["responding": "1"],
  ])
  func `an invalid query is refused`(query: [String: String]) {
    #expect(person.get(Route.alerts, query).problem == .malformedRequest)
  }

  @Test(arguments: ["x", "", "00000000-0000-7000-8000-00000000000g", "00000000-0000-7000-8000-000000000000", "..", "'"])
  func `an invalid alert id is not found`(id: String) {
    #expect(person.get("\(Route.alerts)/\(id)").problem == .notFound)
    #expect(server.send("POST", "\(Route.alerts)/\(id)/acknowledgements", token: ana.token).problem == .notFound)
  }

  @Test func `the event stream needs a session`() throws {
    let outcome = person.get(Route.events)
    guard case .eventStream(let account, _, _) = outcome.response else {
      Issue.record("no stream: \(outcome.text)")
      return
    }
    #expect(account == person.account)
    #expect(server.send("GET", Route.events).problem == .unauthorized)
  }

  private func heartbeatSeconds(_ query: [String: String]) -> Int? {
    guard case .eventStream(_, _, let seconds) = person.get(Route.events, query).response else { return nil }
    return seconds
  }

  @Test func `the event stream has a heartbeat every 25 s, or as rarely as it was asked for`() {
    #expect(heartbeatSeconds([:]) == 25)
    for seconds in [25, 26, 400, 600] { #expect(heartbeatSeconds(["heartbeat": "\(seconds)"]) == seconds) }
    #expect(heartbeatSeconds(["something": "else"]) == 25)
    for wrong in ["24", "601", "0", "-25", "", "x", "50.0", "99999999999999999999"] {
      #expect(person.get(Route.events, ["heartbeat": wrong]).problem == .malformedRequest, "\(wrong)")
    }
  }
}
