import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Answers by text message: the gateway hands over what responders text back.
@Suite struct `Answers by text message` {
  private static let secret = "a-secret-of-the-gateway"
  let server: AlertsServer
  let person: AlertsDevice
  let ana: ContactID

  init() throws {
    var gateway = GatewayTemplate(url: "https://sms.example/send")
    gateway.answers = SMSAnswers(secret: Self.secret)
    let configured = gateway
    server = try AlertsServer { $0.smsGateway = configured }
    person = try server.signIn("+12025550123")
    let first = try person.contact(AlertsDevice.identifier(), "Ana", "sms:+12025550199")
    let second = try person.contact(AlertsDevice.identifier(), "Ben", phone: "+12025550188", "sms:+12025550188")
    try person.sync([first, second])
    ana = ContactID(first.entityID)
  }

  /// The codes by number, from the messages that are sent now.
  private func codes() throws -> [String: String] {
    var codes: [String: String] = [:]
    for attempt in try server.claim() {
      let root = try JSONDocument(attempt.body).root
      let text = try root.string("text")
      codes[try root.string("to")] = text.split { !$0.isNumber }.last { $0.count == 6 }.map(String.init)
      try server.complete(attempt, .status(200, retryAfter: nil))
    }
    return codes
  }

  private func raise(isDrill: Bool = false) throws -> (alert: AlertID, code: String) {
    let alert = try person.raise(isDrill: isDrill)
    return (alert, try #require(try codes()["+12025550199"]))
  }

  private func post(_ body: String, _ type: String, _ authorization: String? = "Bearer \(secret)") -> ServerOutcome {
    server.respond(
      to: ServerRequest(
        method: "POST", path: Route.inboundSMS, authorization: authorization, contentType: type, body: Array(body.utf8),
        remoteAddress: "192.0.2.7")
    ).outcome
  }

  /// What the sender is told.
  private func text(_ text: String, from number: String = "+12025550199") throws -> String {
    let form = "from=\(URLEncoding.encoded(number))&text=\(URLEncoding.encoded(text))"
    let outcome = post(form, "application/x-www-form-urlencoded")
    try #require(outcome.status == 200, "\(outcome.text)")
    return try JSONDocument(outcome.body).root.string("text")
  }

  private func states(_ alert: AlertID, of name: String = "Ana") throws -> [DeliveryState] {
    try person.receipts(alert).filter { $0.contactName == name }.map(\.state)
  }

  @Test func `stand at the end of each call for help, whatever was said`() throws {
    _ = try person.raise(message: String(repeating: "ü", count: 500))
    var texts: [String] = []
    for attempt in try server.claim() { texts.append(try JSONDocument(attempt.body).root.string("text")) }
    for text in texts {
      #expect(text.utf16.count <= 335 && text.hasPrefix("+12025550123 needs help https://server.example/a/"))
      #expect(text.split(separator: "\n").last?.wholeMatch(of: /Answer YES ([0-9]{6}) or NO \1/) != nil)
    }
    #expect(Set(texts.map { $0.suffix(6) }).count == 2, "each responder has a code of their own")
  }

  @Test(arguments: [
    "YES %", "yes%", "Ja, %!", "oui % 🚗", "SÍ %", "si\u{301} %", "Si %", "🙏 Yes % I come in 10 minutes", "y %",
    "\"YES % or\"",
  ]) func `with yes and the code acknowledge`(_ words: String) throws {
    let (alert, code) = try raise()
    let reply = try text(words.replacing("%", with: code))
    #expect(reply.hasPrefix("Thank you. +12025550123 is told that you are responding."))
    #expect(try states(alert) == [.acknowledged] && states(alert, of: "Ben") == [.sent])
  }

  @Test(arguments: ["NO %", "no, % sorry", "Nein %", "NON %", "n %", "No problem, yes %"])
  func `with no and the code say that nobody comes`(_ words: String) throws {
    let (alert, code) = try raise()
    #expect(try text(words.replacing("%", with: code)).hasPrefix("Noted: you can't come."))
    let receipt = try #require(try person.receipts(alert).first { $0.contactName == "Ana" })
    #expect(receipt.state == .seen && receipt.reason == "they said that they can't come")
  }

  @Test(arguments: ["%", "I can't say yes %", "si puedo %", "👍 %", "Y no puedo %", "what is this? %", "OK %"])
  func `with other words change nothing, and say how to answer`(_ words: String) throws {
    let (alert, code) = try raise()
    let reply = try text(words.replacing("%", with: code))
    #expect(
      reply
        == "Not understood, and nobody is told. Answer YES \(code) if you are responding, or NO \(code) if you can't.")
    #expect(try states(alert) == [.sent])
  }

  @Test(arguments: ["", "YES", "yes I come", "STOP", "YES 12", "YES 12345678", "\u{0}🚨"])
  func `without a code change nothing`(_ words: String) throws {
    let (alert, _) = try raise()
    #expect(try text(words.replacing("\u{0}", with: "")).hasPrefix("Not understood, and nobody is told."))
    #expect(try states(alert) == [.sent])
  }

  @Test func `in digits of another script, or in two groups, are the same code`() throws {
    let (alert, code) = try raise()
    let arabic = String(String.UnicodeScalarView(code.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0x630) }))
    #expect(try text("YES \(code.prefix(3)) \(code.suffix(3))").hasPrefix("Thank you."))
    #expect(try text("NO \(arabic)").hasPrefix("Noted"))
    #expect(try states(alert) == [.seen])
  }

  @Test func `from another number, or with another's code, change nothing`() throws {
    let alert = try person.raise()
    let codes = try codes()
    let own = try #require(codes["+12025550199"])
    let other = try #require(codes["+12025550188"])
    #expect(try text("YES \(own)", from: "+12025550177").hasPrefix("Wrong code, and nobody is told."))
    #expect(try text("YES \(other)").hasPrefix("Wrong code, and nobody is told."))
    #expect(try states(alert) == [.sent] && states(alert, of: "Ben") == [.sent])
    for number in ["12025550199", "0012025550199", "+1 (202) 555-0199"] {
      #expect(try text("YES \(own)", from: number).hasPrefix("Thank you."))
    }
  }

  @Test func `twice have one effect, and an answer may be taken back`() throws {
    let (alert, code) = try raise()
    _ = try text("YES \(code)")
    let cursor = try person.sync().cursor
    _ = try text("YES \(code)")
    #expect(try person.sync().changes.isEmpty && person.sync().cursor == cursor)
    #expect(try text("NO \(code)").hasPrefix("Noted") && states(alert) == [.seen])
    #expect(try text("YES \(code)").hasPrefix("Thank you") && states(alert) == [.acknowledged])
  }

  @Test func `do not take back that somebody is on their way`() throws {
    let (alert, code) = try raise()
    let details = try #require(try contact())
    let token = server.core.keys.pageToken(
      alert: alert, contact: Contact(id: ana, details: details), account: person.account)
    _ = server.send(
      "POST", "\(Route.page)/\(token.text)/acknowledgements", Array("answer=there&text=at+the+door".utf8),
      contentType: "application/x-www-form-urlencoded")
    #expect(try text("YES \(code)").hasPrefix("Thank you"))
    let facts = try server.store.read { transaction in
      var needs = FactNeeds()
      needs.responses = [alert]
      var facts = AccountFacts()
      try transaction.addFacts(needs, of: person.account, to: &facts)
      return facts.responses
    }
    #expect(facts[AlertContact(alert, ana)]?.answer == .there && facts[AlertContact(alert, ana)]?.text == "at the door")
  }

  private func contact() throws -> ContactDetails? { try server.store.read { try $0.contact(ana, of: person.account) } }

  @Test func `to a drill confirm it, and call nobody`() throws {
    let (alert, code) = try raise(isDrill: true)
    #expect(try text("NO \(code)").hasPrefix("This is only a drill") && states(alert) == [.sent])
    #expect(try text("YES \(code)").contains("only a drill") && states(alert) == [.acknowledged])
  }

  @Test func `after the end say that it is over`() throws {
    let (alert, code) = try raise()
    try person.end(alert)
    let before = try states(alert)
    #expect(try text("YES \(code)") == "+12025550123 is safe: the alert has ended. Nobody needs to come any more.")
    #expect(try states(alert) == before)
    server.advance(seconds: 31 * 86_400)
    #expect(try text("YES \(code)").hasPrefix("Wrong code"))
  }

  @Test(arguments: [false, true])
  func `with an older code say that help is needed again`(isDrill: Bool) throws {
    let reply =
      "+12025550123 needs help NOW: your code is of an earlier alert or a drill. Answer the newest message to you, or call +12025550123."
    let (alert, code) = try raise(isDrill: isDrill)
    if !isDrill { try person.end(alert) }
    let (call, newest) = try raise()
    try #require(newest != code)
    for words in ["YES", "NO", "What?"] { #expect(try text("\(words) \(code)") == reply) }
    #expect(try states(alert).contains(.acknowledged) == isDrill && states(call) == [.sent])
    if isDrill { try person.end(alert) }
    #expect(try text("YES \(code)") == reply)
    #expect(try text("YES \(newest)").hasPrefix("Thank you") && states(call) == [.acknowledged])
    try person.end(call)
    #expect(
      try text("YES \(code)").hasSuffix(
        "is safe: the alert has ended. Nobody needs to come any more."))
  }

  @Test func `of somebody who is no responder any more, or has another number, count for nothing`() throws {
    let (alert, code) = try raise()
    try person.sync([try person.contact(ana, "Ana", "sms:+12025550166")])
    #expect(try text("YES \(code)").hasPrefix("Wrong code"))
    #expect(try states(alert).allSatisfy { $0 != .acknowledged })
    try person.sync([try person.contact(ana, "Ana", "sms:+12025550199")])
    #expect(try text("YES \(code)").hasPrefix("Thank you"))
  }

  @Test func `with wrong codes are limited for each number, and the link is named`() throws {
    let (alert, code) = try raise()
    let wrong = (0..<20).map { String(900_000 + $0) }.filter { $0 != code }
    for guess in wrong.prefix(10) { #expect(try text("YES \(guess)").hasPrefix("Wrong code")) }
    #expect(try text("YES \(code)").hasPrefix("Too many wrong codes, and nobody is told. Open the link"))
    #expect(try states(alert) == [.sent])
    #expect(try text("YES \(code)", from: "+12025550188").hasPrefix("Wrong code"), "another number has its own limit")
    server.advance(seconds: 3601)
    #expect(try text("YES \(code)").hasPrefix("Thank you"))
  }

  @Test func `with a code that two alerts share name the link`() throws {
    let (alert, code) = try raise()
    let other = try server.signIn("+12025550124")
    let contact = try other.contact(AlertsDevice.identifier(), "Ana", "sms:+12025550199")
    try other.sync([contact])
    let second = try other.raise()
    let link = AnswerLink(
      key: server.core.keys.answerKey(of: code, from: "+12025550199"), account: other.account, alert: second,
      contact: ContactID(contact.entityID))
    var writes = WriteSet(account: link.account)
    writes.answerLinks = [link]
    try server.store.write { try $0.apply(writes) }
    #expect(try text("YES \(code)").hasPrefix("Nobody is told yet. Open the link"))
    #expect(try states(alert) == [.sent])
    try other.end(second)
    #expect(try text("YES \(code)").hasPrefix("Thank you"))
  }

  @Test(
    arguments: [
      nil, "", "Bearer", "Bearer x", "Bearer a-secret-of-the-gatewayx", "Bearer a-secret-of-the-gatewa", "Basic",
      "Basic !", "Digest a-secret-of-the-gateway",
      "Basic \(Base64.encode(Array("a-secret-of-the-gateway".utf8)))", "Bearer lsa_x",
    ] as [String?]) func `are not taken without the secret`(_ authorization: String?) throws
  {
    let (alert, code) = try raise()
    let outcome = post("from=%2B12025550199&text=YES+\(code)", "application/x-www-form-urlencoded", authorization)
    #expect(outcome.status == 401 && outcome.header("WWW-Authenticate") == "Bearer")
    #expect(try states(alert) == [.sent])
  }

  @Test func `come as a form or JSON, with a secret that is shown either way`() throws {
    let (alert, code) = try raise()
    let basic = "Basic \(Base64.encode(Array("gateway:\(Self.secret)".utf8)))"
    let answer = post(
      #"{"from":"+12025550199","text":"YES \#(code)","more":[1]}"#, "application/json; charset=utf-8", basic)
    #expect(answer.status == 200)
    let root = try JSONDocument(answer.body).root
    #expect(try root.string("to") == "+12025550199" && root.string("text").hasPrefix("Thank you"))
    #expect(try states(alert) == [.acknowledged] && answer.changedAccounts == [person.account])
  }

  @Test(arguments: [
    ("", "application/json", 400), ("[]", "application/json", 400), (#"{"from":"+1"}"#, "application/json", 400),
    (#"{"from":7,"text":"x"}"#, "application/json", 400), ("from=%2B1", "application/x-www-form-urlencoded", 400),
    ("from=%ff&text=x", "application/x-www-form-urlencoded", 400), ("x", "text/plain", 415),
    (String(repeating: "x", count: 20_000), "application/json", 413),
  ]) func `are refused where they cannot be read`(_ body: String, _ type: String, _ status: Int) {
    #expect(post(body, type).status == status)
  }

  @Test func `need a gateway that hands them over`() throws {
    let server = try AlertsServer { $0.smsGateway = GatewayTemplate(url: "https://sms.example/send") }
    let outcome = server.send("POST", Route.inboundSMS, Array("{}".utf8), token: Self.secret)
    #expect(outcome.status == 404)
    let person = try server.signIn("+12025550123")
    try person.sync([try person.contact(AlertsDevice.identifier(), "Ana", "sms:+12025550199")])
    _ = try person.raise()
    let attempt = try #require(try server.claim().first)
    #expect(try !JSONDocument(attempt.body).root.string("text").contains("Answer"))
  }

  @Test func `are described in the gateway's file`() throws {
    let json = #"""
      {"url": "https://sms.example/{to}?t={text}", "answers": {"secret": "{file:/s}", "from": "From", "text": "Body"}}
      """#
    let gateway = try GatewayTemplate(json: Array(json.utf8)) { _ throws(GatewayTemplate.TemplateError) in Self.secret }
    let answers = try #require(gateway.answers)
    #expect(answers.senderField == "From" && answers.textField == "Body")
    #expect(throws: Never.self) { try answers.check("bearer \(Self.secret)") }
    for wrong in [#"{}"#, #"{"secret": "short"}"#, #"{"secret": 7}"#, #"7"#] {
      let json = #"{"url": "https://sms.example/{to}?t={text}", "answers": \#(wrong)}"#
      #expect(throws: GatewayTemplate.TemplateError.self) { try GatewayTemplate(json: Array(json.utf8)) }
    }
  }
}
