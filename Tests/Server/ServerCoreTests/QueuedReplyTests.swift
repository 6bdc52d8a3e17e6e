import Model
import Testing
import Wire

@testable import ServerCore

/// Replies to responders' text messages where the gateway sends nothing of what it is answered.
@Suite struct `A queued reply` {
  private static let secret = "a-secret-of-the-gateway"
  private static let number = "+12025550199"
  private let server: AlertsServer
  private let person: AlertsDevice
  private let alert: AlertID
  private let code: String

  init() throws {
    var gateway = GatewayTemplate(url: "https://sms.example/send")
    gateway.answers = SMSAnswers(secret: Self.secret)
    gateway.answers?.reply = .message
    let configured = gateway
    server = try AlertsServer { $0.smsGateway = configured }
    person = try server.signIn("+12025550123")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ana", "sms:\(Self.number)")])
    alert = try person.raise()
    let attempts = try server.core.claimDeliveries(limit: 9, at: server.moment(), in: server.store)
    for attempt in attempts.codes { _ = try Self.complete(attempt, .status(200, retryAfter: nil), server) }
    let help = try #require(attempts.attempts.first)
    code = String(try JSONDocument(help.body).root.string("text").suffix(6))
    try server.complete(help, .status(200, retryAfter: nil))
  }

  private func post(_ text: String, from number: String = number) -> ServerOutcome {
    let form = "from=\(URLEncoding.encoded(number))&text=\(URLEncoding.encoded(text))"
    return server.respond(
      to: ServerRequest(
        method: "POST", path: Route.inboundSMS, authorization: "Bearer \(Self.secret)",
        contentType: "application/x-www-form-urlencoded", body: Array(form.utf8), remoteAddress: "192.0.2.7")
    ).outcome
  }

  private func claim() throws -> ClaimedDeliveries {
    try server.core.claimDeliveries(limit: 9, at: server.moment(), in: server.store)
  }

  /// What is sent now, by number.
  private func texts() throws -> [String: String] {
    var texts: [String: String] = [:]
    for attempt in try claim().codes {
      let root = try JSONDocument(attempt.request.body).root
      texts[try root.string("to")] = try root.string("text")
      _ = try complete(attempt, 200)
    }
    return texts
  }

  private func complete(_ attempt: CodeAttempt, _ status: Int) throws -> [String] {
    try Self.complete(attempt, .status(status, retryAfter: nil), server)
  }

  private static func complete(
    _ attempt: CodeAttempt, _ answer: DeliveryAnswer, _ server: AlertsServer
  ) throws -> [String] {
    let completion = CodeCompletion(id: attempt.id, attempt: attempt.number, answer: answer)
    return try server.store.write { try server.core.completeCodes([completion], at: server.moment(), in: $0) }
      .map(\.description)
  }

  @Test func `goes to the sender as a text message, and the gateway's request gets none`() throws {
    let outcome = post("YES \(code)")
    #expect(outcome.status == 204 && outcome.body.isEmpty && outcome.hasNewDeliveries)
    #expect(try person.receipts(alert).map(\.state) == [.acknowledged])
    let thanks =
      "Thank you. +12025550123 is told that you are responding. If you can't come after all, answer NO \(code)"
    #expect(try texts() == [Self.number: thanks])
    #expect(try texts().isEmpty)
    _ = post("what?", from: "+12025550177")
    #expect(try texts()["+12025550177"]?.hasPrefix("Not understood, and nobody is told.") == true)
    try person.end(alert)
    _ = post("YES \(code)")
    #expect(try texts()[Self.number] == "+12025550123 is safe: the alert has ended. Nobody needs to come any more.")
  }

  @Test func `is tried again, by a server that starts anew too, and its text is nowhere in the store`() throws {
    _ = post("NO \(code)")
    let first = try #require(try claim().codes.first)
    #expect(try complete(first, 503) == ["reply \(first.id): the SMS gateway answered 503; it will be tried again"])
    let files = try server.copyOfFiles()
    for (_, data) in files { #expect(!String(decoding: data, as: UTF8.self).contains(code)) }
    try server.restore(files)
    server.advance(seconds: 30)
    let second = try #require(try claim().codes.first)
    #expect(second.id == first.id && second.request == first.request)
    #expect(try complete(second, 200) == ["reply \(first.id): sent"])
    #expect(try claim().codes.isEmpty)
  }

  @Test func `is given up when it is of no use any more`() throws {
    _ = post("YES")
    let attempt = try #require(try claim().codes.first)
    _ = try complete(attempt, 503)
    server.advance(seconds: 600)
    #expect(try claim().codeNotes.map(\.description) == ["reply \(attempt.id): it has expired; given up"])
    _ = post("YES")
    let refused = try #require(try claim().codes.first)
    #expect(try complete(refused, 400) == ["reply \(refused.id): the SMS gateway answered 400; given up"])
  }

  @Test func `takes the place of an older one, and of no code to the same number`() throws {
    server.advance(seconds: 61)
    let asked = server.send("POST", Route.verifications, VerificationRequest(phone: Self.number, region: nil).json())
    _ = post("YES")
    _ = post("YES \(code)")
    let attempts = try claim().codes
    let texts = try attempts.map { try JSONDocument($0.request.body).root.string("text") }.sorted()
    #expect(texts.count == 2 && texts[0].hasPrefix("Thank you") && texts[1].contains(asked.codes[0].code))
    #expect(Set(attempts.map(\.isReply)) == [true, false])
  }

  @Test func `has a limit, so that two machines do not answer each other for ever`() throws {
    var count = 0
    for _ in 0..<50 {
      let outcome = post("Thank you for your message.")
      #expect(outcome.status == 204)
      if outcome.remark != nil {
        #expect(outcome.remark == "no reply to a text message: there were too many in an hour")
      }
      count += try texts().count
    }
    #expect(count == 20)
    _ = post("hello", from: "+12025550177")
    #expect(try texts().count == 1, "another number has its own limit")
    // What a message does is not limited by that.
    _ = post("YES \(code)")
    #expect(try person.receipts(alert).map(\.state) == [.acknowledged] && texts().isEmpty)
    server.advance(seconds: 3601)
    _ = post("YES \(code)")
    #expect(try texts().count == 1)
  }

  @Test(arguments: ["12345", "Vodafone", ""]) func `goes to no machine`(_ sender: String) throws {
    let outcome = post("YES", from: sender)
    #expect(outcome.status == 204 && outcome.remark == "no reply to a text message: its sender is no number")
    #expect(try texts().isEmpty)
  }

  @Test func `is set in the gateway's file`() throws {
    func reply(_ setting: String) throws -> SMSAnswers.ReplyWay? {
      let json = #"{"url": "https://s.example/{to}?t={text}", "answers": {"secret": "\#(Self.secret)"\#(setting)}}"#
      return try GatewayTemplate(json: Array(json.utf8)).answers?.reply
    }
    #expect(try reply("") == .response && reply(#", "reply": "response""#) == .response)
    #expect(try reply(#", "reply": "message""#) == .message)
    #expect(throws: GatewayTemplate.TemplateError.self) { try reply(#", "reply": "mail""#) }
    #expect(throws: GatewayTemplate.TemplateError.self) { try reply(#", "reply": 7"#) }
  }
}
