import Model
import ServerStoreSQLite
import Testing
import Wire

@testable import ServerCore

/// One-time codes on their way to the gateway of text messages.
@Suite struct `A queued code` {
  private let server: AlertsServer
  private static let phone = "+12025550123"

  init() throws {
    server = try AlertsServer {
      $0.smsGateway = GatewayTemplate(url: "https://sms.example/send")
      $0.authentication.codesPerAddressAndHour = 100
      $0.authentication.codesPerNetworkAndHour = 100
    }
  }

  /// Asks for a code. Returns its verification, and the code itself.
  private func ask(_ phone: String = phone) throws -> (verification: String, code: String) {
    let outcome = server.send("POST", Route.verifications, VerificationRequest(phone: phone, region: nil).json())
    #expect(outcome.response.status == 201 && outcome.hasNewDeliveries)
    let verification = try VerificationResponse(jsonBytes: outcome.body)
    return (verification.verificationID, try #require(outcome.codes.first).code)
  }

  private func claim() throws -> ClaimedDeliveries {
    try server.core.claimDeliveries(limit: 9, at: server.moment(), in: server.store)
  }

  private func claimOne() throws -> CodeAttempt {
    let claimed = try claim()
    #expect(claimed.codes.count == 1 && claimed.codeNotes.isEmpty)
    return try #require(claimed.codes.first)
  }

  private func complete(_ attempt: CodeAttempt, _ status: Int, retryAfter: String? = nil) throws -> [String] {
    try complete(attempt, .status(status, retryAfter: retryAfter))
  }

  private func complete(_ attempt: CodeAttempt, _ answer: DeliveryAnswer) throws -> [String] {
    let completion = CodeCompletion(id: attempt.id, attempt: attempt.number, answer: answer)
    let notes = try server.store.write { try server.core.completeCodes([completion], at: server.moment(), in: $0) }
    return notes.map(\.text)
  }

  private func nextDue() throws -> Timestamp? {
    try server.core.nextDeliveryDue(at: server.moment(), in: server.store)
  }

  /// Sets the clock to when the server wants to claim again.
  private func advanceToNextDue() throws -> Int64 {
    let wait = try #require(try nextDue()).milliseconds(since: server.now)
    server.advance(milliseconds: wait)
    return wait
  }

  @Test func `is given to the gateway once, and forgotten when it was taken`() throws {
    let (_, code) = try ask()
    let attempt = try claimOne()
    let body = try JSONDocument(attempt.request.body).root
    #expect(try body.string("to") == Self.phone)
    #expect(try body.string("text").hasPrefix("Your LifeSignal code is \(code). It works once, for 10 minutes."))
    #expect(try body.string("id") == attempt.id.description)
    #expect(try claim().codes.isEmpty)
    #expect(try complete(attempt, 200) == ["sent"])
    #expect(try nextDue() == nil)
  }

  @Test func `is not made for a blocked number, and nobody who asks can tell`() throws {
    try server.store.write { try $0.addBlock(PhoneBlock(since: server.now), of: Self.phone) }
    let outcome = server.send("POST", Route.verifications, VerificationRequest(phone: Self.phone, region: nil).json())
    #expect(outcome.response.status == 201 && outcome.codes.isEmpty && !outcome.hasNewDeliveries)
    #expect(try claim().codes.isEmpty)
    let verification = try VerificationResponse(jsonBytes: outcome.body)
    let guess = SessionRequest(verificationID: verification.verificationID, code: "000000", deviceName: "phone")
    #expect(server.send("POST", Route.sessions, guess.json()).text.contains("Wrong code."))
    #expect(
      server.send("POST", Route.verifications, VerificationRequest(phone: Self.phone, region: nil).json())
        .response.status == 429)
  }

  @Test func `is tried again with the same id and code, and tells the time that is left`() throws {
    _ = try ask()
    let first = try claimOne()
    for attempts in 1...2 {
      let attempt = attempts == 1 ? first : try claimOne()
      #expect(try complete(attempt, 503) == ["the SMS gateway answered 503; it will be tried again"])
      #expect(try (1000...2000).contains(advanceToNextDue()))
    }
    let third = try claimOne()
    #expect(third.id == first.id && third.number == 3 && third.request == first.request)
    server.advance(seconds: 1)
    #expect(try complete(third, .networkFailure("it timed out")).first?.hasSuffix("it will be tried again") == true)
    server.advance(seconds: 180)
    let late = try JSONDocument(try claimOne().request.body).root.string("text")
    #expect(late.contains("for 7 minutes"))
  }

  @Test func `waits as long as the gateway asks`() throws {
    _ = try ask()
    _ = try complete(try claimOne(), 429, retryAfter: "42")
    #expect(try advanceToNextDue() == 42_000)
    #expect(try claim().codes.count == 1)
  }

  @Test func `survives the death of the process that had it`() throws {
    let (verification, code) = try ask()
    let lost = try claimOne()
    try server.restore(try server.copyOfFiles())
    #expect(try claim().codes.isEmpty, "it is leased")
    try server.core.takeOverDeliveries(at: server.moment(), in: server.store)
    let again = try claimOne()
    #expect(again.id == lost.id && again.request == lost.request && again.number == 2)
    #expect(try complete(lost, 200).isEmpty, "an attempt that was superseded changes nothing")
    #expect(try complete(again, 200) == ["sent"])
    let request = SessionRequest(verificationID: verification, code: code, deviceName: "phone")
    #expect(server.send("POST", Route.sessions, request.json()).response.status == 201)
  }

  @Test func `is claimed again when its lease has ended, also after the clock was set back`() throws {
    _ = try ask()
    _ = try claimOne()
    #expect(try advanceToNextDue() == 60_000)
    #expect(try claimOne().number == 2)
    server.advance(seconds: -3600)
    #expect(try claimOne().number == 3)
  }

  @Test func `is given up when it has expired`() throws {
    _ = try ask()
    _ = try complete(try claimOne(), 503)
    server.advance(seconds: 600)
    let claimed = try claim()
    #expect(claimed.codes.isEmpty && claimed.codeNotes.map(\.text) == ["it has expired; given up"])
    #expect(try nextDue() == nil)
  }

  @Test func `is not tried again where it would have expired by then`() throws {
    _ = try ask()
    server.advance(milliseconds: 599_500)
    let notes = try complete(try claimOne(), 503)
    #expect(notes == ["the SMS gateway answered 503, and it expires before the next attempt; given up"])
    #expect(try nextDue() == nil)
  }

  @Test(arguments: [400, 403, 422]) func `is given up when the gateway refuses it`(status: Int) throws {
    let (_, code) = try ask()
    let notes = try complete(try claimOne(), status)
    #expect(notes == ["the SMS gateway answered \(status); given up"])
    #expect(!notes[0].contains(code) && !notes[0].contains("2025550123"))
    #expect(try nextDue() == nil)
  }

  @Test func `is given up when it was used`() throws {
    let (verification, code) = try ask()
    let attempt = try claimOne()
    let request = SessionRequest(verificationID: verification, code: code, deviceName: "phone")
    #expect(server.send("POST", Route.sessions, request.json()).response.status == 201)
    #expect(
      try complete(attempt, .networkFailure("it timed out"))
        == ["the SMS gateway cannot be reached, and it was used; given up"])
    #expect(try nextDue() == nil)
  }

  @Test func `is replaced by a newer one for the same number`() throws {
    let (_, older) = try ask()
    let first = try claimOne()
    server.advance(seconds: 60)
    let (_, newer) = try ask()
    _ = try ask("+12025550124")
    let claimed = try claim().codes
    #expect(Set(claimed.map(\.phone)) == [Self.phone, "+12025550124"])
    let texts = try claimed.map { try JSONDocument($0.request.body).root.string("text") }
    #expect(older != newer && texts.contains { $0.contains(newer) } && !texts.contains { $0.contains(older) })
    #expect(try complete(first, 503).isEmpty)
  }

  @Test func `is not sent by a server without a gateway`() throws {
    _ = try ask()
    try server.restart { _ in }
    let claimed = try claim()
    #expect(claimed.codes.isEmpty && claimed.codeNotes.map(\.text) == ["there is no SMS gateway any more; given up"])
    let outcome = server.send(
      "POST", Route.verifications, VerificationRequest(phone: "+12025550125", region: nil).json())
    #expect(outcome.codes.count == 1 && !outcome.hasNewDeliveries)
    #expect(try claim().codes.isEmpty)
  }

  @Test func `waits for room, and leaves it to messages of alerts`() throws {
    let policy = server.core.configuration.codes
    let device = try server.signIn("+12025550150")
    try device.sync([try device.contact(AlertsDevice.identifier(), "Ana", "sms:+12025550199")])
    for attempt in try claim().codes { _ = try complete(attempt, 200) }
    for number in 0..<policy.inFlightLimit + 2 { _ = try ask("+120255501\(10 + number)") }
    var attempts: [CodeAttempt] = []
    while case let claimed = try claim().codes, !claimed.isEmpty {
      #expect(claimed.count <= policy.claimLimit)
      attempts += claimed
    }
    #expect(attempts.count == policy.inFlightLimit)
    #expect(try nextDue() == server.now.advanced(byMilliseconds: policy.leaseMilliseconds), "no claim in a busy loop")
    let alert = try device.raise()
    let claimed = try claim()
    #expect(claimed.attempts.contains { $0.target.alert == alert } && claimed.codes.isEmpty)
    _ = try complete(attempts[0], 200)
    #expect(try claim().codes.count == 1)
  }

  @Test func `is nowhere in the store`() throws {
    let (verification, code) = try ask()
    _ = try claimOne()
    for (_, data) in try server.copyOfFiles() { #expect(!String(decoding: data, as: UTF8.self).contains(code)) }
    #expect(CodeText.code(of: verification, server.core.keys) == code)
  }

  @Test func `has six digits, of which none is likelier than another`() throws {
    let codes = (0..<2000).map { CodeText.code(of: "vrf_\($0)", server.core.keys) }
    #expect(codes.allSatisfy { $0.utf8.count == 6 && $0.allSatisfy(\.isNumber) })
    for digit in "0123456789" {
      let count = codes.reduce(0) { $0 + $1.filter { $0 == digit }.count }
      #expect((1000...1400).contains(count), "\(digit)")
    }
  }

  @Test func `whose row cannot be read holds up no other`() throws {
    _ = try ask()
    _ = try ask("+12025550124")
    try server.store.write { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.execute(
        "PRAGMA ignore_check_constraints = ON; UPDATE code_messages SET id = replace(id, '-', '+') WHERE phone = '\(Self.phone)'"
      )
    }
    #expect(try claim().codes.map(\.phone) == ["+12025550124"])
  }
}
