import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Which proofs of work bring a code.
@Suite struct `A proof of work` {
  private let phone = "+12025550123"
  private let server: AuthenticationServer

  init() throws {
    server = try AuthenticationServer(Self.limits)
    #expect(server.verify("+12025551000", from: "10.0.0.1").status == 201)
  }

  /// One code, and then work of eight hashes.
  private static var limits: AuthenticationLimits {
    var limits = AuthenticationLimits()
    limits.codeWorkZeroBits = 1
    limits.codesPerCountryAndHour = 1
    limits.codesForWorkPerHour = 63
    return limits
  }

  private func challenge() throws -> WorkChallenge { try #require(server.verify(phone).work) }

  /// Expects that the proof brings no code, that the answer says why, and that a new challenge helps.
  private func expectRefusal(_ proof: WorkProof, _ reason: String, _ phone: String? = nil) throws {
    let answer = server.verify(phone ?? self.phone, proof: proof)
    #expect(answer.problem == .rateLimited && answer.codes.isEmpty)
    #expect(answer.text.contains(reason), "\(answer.text)")
    let next = try #require(answer.work).solved()
    #expect(server.verify(phone ?? self.phone, proof: next).status == 201)
  }

  @Test func `brings a code, whichever nonces it has`() throws {
    let proof = try challenge().solved(from: 1 << 40)
    #expect(server.verify(phone, proof: proof).status == 201)
  }

  @Test func `works on every server with the same key`() throws {
    let proof = try challenge().solved()
    let other = try AuthenticationServer(Self.limits, store: server.files.reopened())
    #expect(other.verify(phone).problem == .rateLimited)
    #expect(other.verify(phone, proof: proof).status == 201)
  }

  @Test func `with too few nonces is refused`() throws {
    var proof = try challenge().solved()
    proof.nonces.removeLast()
    try expectRefusal(proof, "is wrong")
  }

  @Test func `with a nonce twice is refused`() throws {
    var proof = try challenge().solved()
    proof.nonces[1] = proof.nonces[0]
    try expectRefusal(proof, "is wrong")
  }

  @Test func `with a nonce that does not do is refused`() throws {
    let challenge = try challenge()
    var proof = challenge.solved(from: challenge.miss + 1)
    proof.nonces[0] = challenge.miss
    try expectRefusal(proof, "is wrong")
  }

  @Test func `for another number is refused`() throws {
    try expectRefusal(challenge().solved(), "for another number", "+12025550188")
  }

  @Test func `for another server is refused`() throws {
    let keys = ServerKeys(secret: try SecretKey.fromTest(8))
    let other = CodeChallenge(phone: phone, latestCodeAt: nil, now: server.now, keys: keys).make(zeroBits: 1)
    try expectRefusal(other.solved(), "another server")
  }

  @Test(arguments: ["", "A", "???", "AAAA"]) func `for no challenge is refused`(text: String) throws {
    try expectRefusal(WorkProof(challenge: text, nonces: [1]), "another server")
  }

  @Test func `for a challenge that was made easier is refused`() throws {
    var bytes = try #require(Base64URL.decode(try challenge().text))
    bytes[8] = 0
    let easier = WorkChallenge(text: Base64URL.encode(bytes), zeroBits: 0, nonceCount: 8)
    try expectRefusal(easier.solved(), "another server")
  }

  @Test(arguments: [(Int64(599_999), true), (600_000, false), (-60_000, true), (-60_001, false)])
  func `works for ten minutes`(milliseconds: Int64, works: Bool) throws {
    // Without the code of `init`, which a clock that was set back does not count.
    let proof = try challenge().solved()
    server.advance(milliseconds: milliseconds)
    if milliseconds < 0 { _ = server.verify("+12025551001", from: "10.0.0.2") }
    if works {
      let answer = server.verify(phone, proof: proof)
      #expect(answer.observations == [.codeWork(.accepted)])
    } else {
      try expectRefusal(proof, "has expired")
    }
  }

  @Test func `works once`() throws {
    let proof = try challenge().solved()
    let answer = server.verify(phone, proof: proof)
    let verification = try VerificationResponse(jsonBytes: answer.body).verificationID
    #expect(server.guess(answer.codes[0].code, for: verification).status == 201)
    // A used code holds up no other.
    server.advance(milliseconds: 1)
    try expectRefusal(proof, "older than the last code")
  }

  @Test func `counts while a code takes twice as much work as it shows, and not while it takes more`() throws {
    let (one, other) = (try challenge().solved(), try #require(server.verify("+12025550188").work).solved())
    try bringCodes(1)
    #expect(try challenge().zeroBits == 2)
    #expect(server.verify("+12025550188", proof: other).status == 201)
    try bringCodes(1)
    #expect(try challenge().zeroBits == 3)
    try expectRefusal(one, "takes more work now")
  }

  @Test func `is not looked at while codes go out without`() throws {
    let server = try AuthenticationServer()
    #expect(server.verify(phone, proof: WorkProof(challenge: "nonsense", nonces: [])).status == 201)
  }

  private func bringCodes(_ count: Int) throws {
    for index in 0..<count {
      let phone = "+1202555\(3000 + index + Int(server.now.milliseconds % 1000))"
      let work = try #require(server.verify(phone, from: "10.1.\(index).1").work)
      #expect(server.verify(phone, from: "10.1.\(index).1", proof: work.solved()).status == 201)
      server.advance(milliseconds: 1)
    }
  }
}
