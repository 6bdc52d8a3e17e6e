import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// One-time codes.
@Suite struct AuthenticationCodesTests {
  private let phone = "+12025550123"

  @Test func `the right code signs in`() throws {
    let server = try AuthenticationServer()
    let asked = server.verify("(202) 555-0123", region: "US")
    #expect(asked.status == 201)
    let verification = try VerificationResponse(jsonBytes: asked.body)
    #expect(verification.expiresAt == server.now.advanced(byMilliseconds: 600_000))
    #expect(verification.resendAt == server.now.advanced(byMilliseconds: 60_000))
    let message = try #require(asked.codes.first)
    #expect(message.phone == phone)
    #expect(message.code.utf8.count == 6 && message.text.contains(message.code))
    #expect(!asked.text.contains(message.code))

    let answer = server.guess(message.code, for: verification.verificationID)
    #expect(answer.status == 201)
    let session = try SessionResponse(jsonBytes: answer.body)
    #expect(session.user.phone == phone)
    #expect(session.tokens.expiresAt == server.now.advanced(byMilliseconds: 3_600_000))
    #expect(session.tokens.accessToken.hasPrefix("lsa_") && session.tokens.accessToken.utf8.count == 47)
    #expect(session.tokens.refreshToken.hasPrefix("lsr_") && session.tokens.refreshToken.utf8.count == 47)
    #expect(session.alertKey.hasPrefix("lsk_") && session.alertKey.utf8.count == 47)
  }

  @Test func `one number is one account`() throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone)
    let second = try server.signInAgain(phone)
    let other = try server.signIn("+442079460958")
    #expect(first.user.id == second.user.id)
    #expect(first.user.id != other.user.id)
    #expect(first.alertKey != second.alertKey)
  }

  @Test func `the code may be written with a space`() throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    #expect(server.guess("\(code.prefix(3)) \(code.suffix(3))", for: verification).status == 201)
  }

  @Test func `a code works once`() throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    #expect(server.guess(code, for: verification).status == 201)
    #expect(server.guess(code, for: verification).problem == .codeUsed)
  }

  @Test func `the fifth guess may be right`() throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    for _ in 0..<4 { #expect(server.guess(wrong(code), for: verification).problem == .codeWrong) }
    #expect(server.guess(code, for: verification).status == 201)
  }

  @Test func `the sixth guess is refused even if it is right`() throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    for _ in 0..<5 { #expect(server.guess(wrong(code), for: verification).problem == .codeWrong) }
    let sixth = server.guess(code, for: verification)
    #expect(sixth.problem == .codeTriesExhausted)
    #expect(sixth.text.contains("Ask for a new one"))
  }

  @Test(arguments: [
    (Int64(599_999), nil as Problem.Kind?), (Int64(600_000), Problem.Kind.codeExpired),
    (Int64(601_000), Problem.Kind.codeExpired),
  ])
  func `a code is valid for ten minutes`(milliseconds: Int64, problem: Problem.Kind?) throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    server.advance(milliseconds: milliseconds)
    #expect(server.guess(code, for: verification).problem == problem)
  }

  @Test func `another request's id with this code fails`() throws {
    let server = try AuthenticationServer()
    let mine = try server.code(for: phone)
    let other = try server.code(for: "+442079460958")
    server.advance(seconds: 60)
    let mineLater = try server.code(for: phone)
    #expect(server.guess(mine.code, for: other.verification).problem == .codeWrong)
    if mine.code != mineLater.code {
      #expect(server.guess(mine.code, for: mineLater.verification).problem == .codeWrong)
    }
    #expect(server.guess(mine.code, for: mine.verification).status == 201)
    #expect(server.guess(mineLater.code, for: mineLater.verification).status == 201)
  }

  @Test func `the stored hash of a code depends on its request and the server's key`() throws {
    let keys = ServerKeys(secret: try SecretKey.fromTest(7))
    let hash = Verifications.codeHash("123456", verification: "vrf_a", keys)
    #expect(hash == Verifications.codeHash("123456", verification: "vrf_a", keys))
    #expect(hash != Verifications.codeHash("123456", verification: "vrf_b", keys))
    let otherKeys = ServerKeys(secret: try SecretKey.fromTest(8))
    #expect(hash != Verifications.codeHash("123456", verification: "vrf_a", otherKeys))
  }

  @Test(arguments: ["", "vrf_AAAAAAAAAAAAAAAAAAAAAA", "nonsense", "'; DROP TABLE verifications; --"])
  func `an unknown request answers like a wrong code`(id: String) throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    let known = server.guess(wrong(code), for: verification)
    let unknown = server.guess(code, for: id)
    #expect(unknown.status == known.status && unknown.body == known.body && unknown.headers == known.headers)
  }

  @Test func `of a hundred simultaneous guesses five count`() throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    let wrong = wrong(code)
    let answers = try atOnce(100) { _ in server.guess(wrong, for: verification).problem }
    #expect(answers.count { $0 == .codeWrong } == 5)
    #expect(answers.count { $0 == .codeTriesExhausted } == 95)
    #expect(server.guess(code, for: verification).problem == .codeTriesExhausted)
  }

  @Test func `of a hundred simultaneous right codes one signs in`() throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    let answers = try atOnce(100) { _ in server.guess(code, for: verification) }
    #expect(answers.count { $0.status == 201 } == 1)
    #expect(answers.count { $0.problem == .codeUsed } == 99)
  }

  @Test func `known and unknown numbers get the same answer, and no account before the code`() throws {
    let server = try AuthenticationServer()
    _ = try server.signIn(phone)
    server.advance(seconds: 60)
    let known = server.verify(phone)
    let unknown = server.verify("+442079460958")
    #expect(known.status == unknown.status && known.headers == unknown.headers)
    #expect(known.body.count == unknown.body.count)
    #expect(masked(known.text) == masked(unknown.text))
    #expect(known.codes.count == 1 && unknown.codes.count == 1)
    var needs = RequestNeeds()
    needs.verification = try VerificationResponse(jsonBytes: unknown.body).verificationID
    let facts = try server.facts(needs)
    #expect(facts.verification != nil && facts.verifiedAccount == nil)
  }

  @Test(arguments: [
    ("12345", "US"), ("hello", "US"), ("", nil), ("2025550123", nil), ("2025550123", "us"), ("2025550123", "QQ"),
    ("+12025550123", "U"),
  ]) func `an invalid number is refused`(text: String, region: String?) throws {
    let server = try AuthenticationServer()
    let answer = server.verify(text, region: region)
    #expect(answer.status == 400)
    #expect(answer.problem == .invalidPhoneNumber)
    #expect(answer.codes.isEmpty)
  }

  @Test(arguments: ["", "{", "[]", "{}", #"{"phone":1}"#, #"{"phone":"+12025550123","region":7}"#])
  func `a broken body is refused`(body: String) throws {
    let server = try AuthenticationServer()
    for path in [Route.verifications, Route.sessions, Route.tokens] {
      let answer = server.send("POST", path, Array(body.utf8))
      #expect(answer.status == 400)
      #expect(answer.problem == .malformedRequest)
    }
  }

  @Test(arguments: ["", "   ", "a\nb", "a\u{0}", String(repeating: "x", count: 101)])
  func `a device has a name, and an invalid one does not count as a guess`(name: String) throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    for _ in 0..<6 {
      #expect(server.guess(code, for: verification, device: name).problem == .malformedRequest)
    }
    #expect(server.guess(code, for: verification, device: "Ana's telephone").status == 201)
  }

  @Test(arguments: ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", String(repeating: "1", count: 10_000)])
  func `an invalid code counts as a wrong one`(code: String) throws {
    let server = try AuthenticationServer()
    let (verification, _) = try server.code(for: phone)
    #expect(server.guess(code, for: verification).problem == .codeWrong)
  }

  @Test func `every code has six digits, and they differ`() throws {
    var limits = AuthenticationLimits()
    limits.codesPerAddressAndHour = 1000
    limits.codesPerNetworkAndHour = 1000
    limits.codesPerCountryAndHour = 1000
    let server = try AuthenticationServer(limits)
    var codes: Set<String> = []
    for index in 0..<200 {
      let code = try server.code(for: "+1202555\(1000 + index)").code
      #expect(code.utf8.count == 6 && code.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
      codes.insert(code)
    }
    #expect(codes.count > 190)
    #expect(codes.contains { $0.hasPrefix("0") })
  }

  /// Another code of six digits.
  private func wrong(_ code: String) -> String {
    code == "123456" ? "654321" : "123456"
  }

  /// The answer without the id, which always differs.
  private func masked(_ text: String) -> String {
    guard let start = text.range(of: "vrf_")?.upperBound else { return text }
    return text.replacingCharacters(in: start..<text.index(start, offsetBy: 22), with: "…")
  }
}
