import Model
import Testing
import Wire

@testable import ServerCore

/// What is kept of a channel over which a message failed for good.
@Suite struct `A channel that fails for good` {
  private static let hook = "https://a.example/hook"
  private let server: AlertsServer
  private let person: AlertsDevice
  private let ana: ContactID = AlertsDevice.identifier()

  /// Gives up within minutes: an access token is valid for an hour.
  init() throws {
    server = try AlertsServer {
      $0.smsGateway = GatewayTemplate(url: "https://sms.example/send")
      $0.deliveries.refusalLimit = 3
      $0.deliveries.refusedAfterMilliseconds = 60_000
      $0.deliveries.giveUpAttempts = 5
      $0.deliveries.giveUpAfterMilliseconds = 300_000
    }
    person = try server.signIn("+12025550123")
    try person.sync([try person.contact(ana, "Ana", Self.hook)])
  }

  private func test() throws -> AlertID {
    let activation = AlertActivation(
      startedAt: server.now, message: nil, location: nil, isDrill: true, utcOffsetMinutes: nil, onlyContact: ana)
    let mutation = person.mutation(AlertsDevice.identifier(), server.now, .activateAlert(activation))
    let id = AlertID(mutation.entityID)
    try person.sync([mutation], [person.notification(.activated, id)])
    return id
  }

  /// Attempts whatever is due, until nothing waits.
  private func attempt(_ answer: DeliveryAnswer, for longestMilliseconds: Int64 = 2_400_000) throws {
    // What waits for the end of another alert waits on.
    let end = server.now.advanced(byMilliseconds: longestMilliseconds)
    while server.now < end, let due = try server.nextDelivery() {
      if due > server.now { server.advance(milliseconds: due.milliseconds(since: server.now)) }
      for attempt in try server.claim() { try server.complete(attempt, answer) }
      server.advance(seconds: 10)
    }
  }

  private func refuse() throws { try attempt(.status(404, retryAfter: nil)) }

  /// A drill that is over: what fails for a while is given up.
  private func endedDrill() throws -> AlertID {
    let drill = try person.raise(isDrill: true)
    try person.end(drill)
    return drill
  }

  /// As another device hears of it, and as the list of contacts has it.
  private func failed() throws -> [FailedChannel] {
    let contacts = try person.another().sync().changes.compactMap { change in
      if case .contact(_, let record?) = change { record } else { nil }
    }
    return try #require(contacts.first).failed
  }

  private func press(_ attempt: DeliveryAttempt) throws {
    let answer = server.send(
      "POST", "\(try PageScene.pagePath(in: attempt))/acknowledgements", Array("answer=responding".utf8),
      contentType: "application/x-www-form-urlencoded")
    #expect(answer.status == 303)
  }

  @Test func `is told, with the reason, and stays until a message gets through`() throws {
    _ = try person.raise()
    try refuse()
    let failure = try #require(try failed().first)
    #expect(failure.url == Self.hook && failure.reason == "the channel answered 404")
    #expect(failure.at > AlertsServer.start && failure.at < server.now)
    let list = server.send("GET", Route.contacts, token: person.token).text
    #expect(list.contains(#""failed":[{"channel":"https://a.example/hook","at":""#), "\(list)")
    _ = try person.raise()
    try attempt(.status(200, retryAfter: nil))
    #expect(try failed().isEmpty)
  }

  @Test func `is told to the person's devices once, and not with each failure`() throws {
    func news() throws -> Int {
      try person.sync().changes.count { if case .contact = $0 { true } else { false } }
    }
    let first = try person.raise()
    try refuse()
    #expect(try news() == 1)
    try person.end(first)
    _ = try person.raise()
    try attempt(.status(404, retryAfter: nil), for: 600_000)
    #expect(try news() == 0)
    _ = try person.raise()
    try attempt(.status(410, retryAfter: nil), for: 600_000)
    #expect(try news() == 1, "another reason")
    #expect(try failed().map(\.reason) == ["the channel answered 410"])
  }

  @Test func `is one that refused a test until it ran out, until a press`() throws {
    // As configured from the start: refusals are final after an hour, and a test runs out after half of it.
    try server.restart { _ in }
    let first = try test()
    try refuse()
    #expect(try failed().map(\.reason) == ["the channel answered 404"])
    #expect(try person.receipts(first).map(\.reason) == ["the channel answered 404"])
    _ = try test()
    try press(try #require(try server.claim().first))
    #expect(try failed().isEmpty)
  }

  @Test func `is forgotten with its URL, and by no other edit`() throws {
    _ = try person.raise()
    try refuse()
    try person.sync([try person.contact(ana, "Anna", Self.hook, "sms:+12025550199")])
    #expect(try failed().count == 1)
    try person.sync([try person.contact(ana, "Anna", "https://a.example/new")])
    #expect(try failed().isEmpty)
    try person.sync([try person.contact(ana, "Anna", Self.hook)])
    #expect(try failed().isEmpty)
  }

  @Test func `is not one whose contact was removed, or whose alert ended in time`() throws {
    let alert = try person.raise()
    for attempt in try server.claim() { try server.complete(attempt, .status(404, retryAfter: nil)) }
    try person.sync([try person.contact(ana, "Ana", Self.hook, isResponder: false)])
    #expect(try person.receipts(alert).map(\.state) == [.failed])
    #expect(try failed().isEmpty)
    try person.end(alert)
    try person.sync([try person.contact(ana, "Ana", Self.hook)])
    let test = try test()
    try person.sync([person.deactivation(test)])
    #expect(try server.claim().allSatisfy { $0.target.alert != test })
    #expect(try failed().isEmpty)
  }

  @Test func `is none where the operator's gateway fails, and one where it refuses the number`() throws {
    try person.sync([try person.contact(ana, "Ana", "sms:+12025550199")])
    let drill = try endedDrill()
    try attempt(.networkFailure("cannot connect"))
    #expect(try person.receipts(drill).first?.reason == "the SMS gateway cannot be reached, for a day")
    #expect(try failed().isEmpty)
    _ = try person.raise()
    try attempt(.status(400, retryAfter: nil))
    #expect(try failed().map(\.reason) == ["the SMS gateway answered 400"])
  }

  @Test func `says so after a day without an answer, unless the server itself could not send`() throws {
    let unsent = try endedDrill()
    try attempt(.notSent("the server could not send"))
    #expect(try person.receipts(unsent).first?.state == .failed)
    #expect(try failed().isEmpty)
    _ = try endedDrill()
    try attempt(.networkFailure("cannot connect"))
    #expect(try failed().map(\.reason) == ["cannot connect, for a day"])
  }
}

/// The last failures of a contact's channels, as both stores keep them.
@Suite struct `Failed channels` {
  private let at = Timestamp(milliseconds: 1_795_262_400_000)

  @Test func `are read as they were written, without lines that cannot be read`() throws {
    let failed = [
      FailedChannel(url: "https://a.example/x", at: at, reason: "the channel answered 404, for a day"),
      FailedChannel(url: "tel:+12025550199", at: at, reason: ""),
    ]
    #expect([FailedChannel](lines: failed.lines) == failed)
    #expect([FailedChannel](lines: "x https://a.example/y z\n\n7\n" + failed.lines) == failed)
  }

  @Test func `keep the time of the first of the same, and one line of reason`() throws {
    let channel = try Channel("https://a.example/x")
    let first = [FailedChannel]().adding(channel, at: at, because: "no\nanswer")
    let later = at.advanced(byMilliseconds: 1)
    #expect(first == [FailedChannel(url: channel.url, at: at, reason: "no answer")])
    #expect(first.adding(channel, at: later, because: "no\nanswer") == first)
    #expect(first.adding(channel, at: later, because: "x").map(\.at) == [later])
    #expect(first.since([TestedChannel(url: channel.url, at: later)]).isEmpty)
    #expect(first.since([TestedChannel(url: channel.url, at: at.advanced(byMilliseconds: -1))]) == first)
  }
}
