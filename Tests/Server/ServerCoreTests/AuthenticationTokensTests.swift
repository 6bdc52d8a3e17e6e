import Model
import Secrets
import Testing
import Wire

@testable import ServerCore

/// Tests refreshing tokens: the replay of a lost answer, and the reuse of an old token.
@Suite struct AuthenticationTokensTests {
  private let phone = "+12025550123"

  @Test func `a refresh returns a new pair`() throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    server.advance(seconds: 3000)
    let answer = server.refresh(first.refreshToken)
    #expect(answer.status == 200)
    let second = try answer.tokens()
    #expect(second.accessToken != first.accessToken && second.refreshToken != first.refreshToken)
    #expect(second.expiresAt == server.now.advanced(byMilliseconds: 3_600_000))
    #expect(try server.refresh(second.refreshToken).tokens() != second)
  }

  @Test(arguments: [0, 29_000, 31_000, 3_600_000, 59 * 86_400_000])
  func `a lost answer is repeated while its tokens are unused`(milliseconds: Int64) throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    let lost = try server.refresh(first.refreshToken).tokens()
    server.advance(milliseconds: milliseconds)
    let again = try server.refresh(first.refreshToken).tokens()
    #expect(again.accessToken == lost.accessToken && again.refreshToken == lost.refreshToken)
    #expect(again.expiresAt == server.now.advanced(byMilliseconds: 3_600_000))
    #expect(try server.problem(again.accessToken) == nil)
    #expect(server.refresh(again.refreshToken).status == 200)
  }

  @Test func `fifty simultaneous refreshes get one successor`() throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    let answers = try atOnce(50) { _ in server.refresh(first.refreshToken) }
    #expect(answers.allSatisfy { $0.status == 200 })
    #expect(Set(try answers.map { try $0.tokens().refreshToken }).count == 1)
    #expect(Set(try answers.map { try $0.tokens().accessToken }).count == 1)
    let next = try atOnce(50) { index in server.refresh((try? answers[index].tokens().refreshToken) ?? "") }
    #expect(Set(try next.map { try $0.tokens().refreshToken }).count == 1)
  }

  @Test(arguments: [Route.alerts, Route.contacts, Route.events])
  func `reading with the successor counts as its use`(path: String) throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    let second = try server.refresh(first.refreshToken).tokens()
    #expect(server.send("GET", path, token: second.accessToken).status == 200)
    server.advance(seconds: 30)
    #expect(server.refresh(first.refreshToken).problem == .sessionRevoked)
  }

  @Test(arguments: [false, true]) func `real reuse revokes the session`(byRefresh: Bool) throws {
    let server = try AuthenticationServer()
    let session = try server.signIn(phone)
    let second = try server.refresh(session.tokens.refreshToken).tokens()
    var newest = second
    if byRefresh {
      newest = try server.refresh(second.refreshToken).tokens()
    } else {
      _ = try server.caller(second.accessToken)
    }
    server.advance(seconds: 30)
    let reuse = server.refresh(session.tokens.refreshToken)
    #expect(reuse.problem == .sessionRevoked)
    #expect(reuse.headers.contains(HeaderField("WWW-Authenticate", "Bearer")))
    #expect(server.refresh(newest.refreshToken).problem == .sessionRevoked)
    #expect(try server.problem(newest.accessToken) == .sessionRevoked)
    #expect(try server.problem(session.tokens.accessToken) == .sessionRevoked)
    // The alert key still works, because an alert must not wait for a new sign-in.
    #expect(try server.caller(session.alertKey).account.id == session.user.id)
  }

  @Test func `a token from two generations ago counts as reuse at once`() throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    let second = try server.refresh(first.refreshToken).tokens()
    let third = try server.refresh(second.refreshToken).tokens()
    #expect(server.refresh(first.refreshToken).problem == .sessionRevoked)
    #expect(server.refresh(third.refreshToken).problem == .sessionRevoked)
  }

  @Test func `a delayed copy of a refresh is refused and revokes nothing`() throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    let second = try server.refresh(first.refreshToken).tokens()
    _ = try server.caller(second.accessToken)
    server.advance(milliseconds: 29_999)
    let copy = server.refresh(first.refreshToken)
    #expect(copy.problem == .unauthorized)
    #expect(!copy.text.contains("lsr_"))
    #expect(try server.problem(second.accessToken) == nil)
    #expect(server.refresh(second.refreshToken).status == 200)
  }

  /// The first answers are lost, and the device repeats its request until one arrives.
  @Test func `a delayed copy of a repeated refresh revokes nothing either`() throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    _ = try server.refresh(first.refreshToken).tokens()
    server.advance(milliseconds: 40_000)
    let second = try server.refresh(first.refreshToken).tokens()
    _ = try server.caller(second.accessToken)
    server.advance(milliseconds: 29_999)
    #expect(server.refresh(first.refreshToken).problem == .unauthorized)
    #expect(try server.problem(second.accessToken) == nil)
    server.advance(milliseconds: 1)
    #expect(server.refresh(first.refreshToken).problem == .sessionRevoked)
  }

  /// The device saves its tokens only after the answer. It may be killed before the request, before the answer or
  /// before the save, and it continues seconds or weeks later with the tokens that it had saved.
  @Test(arguments: 0..<20) func `a device that is killed at any step is never signed out`(seed: UInt8) throws {
    let server = try AuthenticationServer()
    var entropy = Entropy(seed: [UInt8](repeating: seed, count: 32))
    var written = try server.signIn(phone).tokens
    for _ in 0..<200 {
      let step = entropy.number(below: 4)
      if step == 0 { continue }
      let pauses: [UInt64] = [1, 40, 4000, 50 * 86_400]
      server.advance(seconds: Int64(entropy.number(below: pauses[Int(entropy.number(below: 4))])))
      let answer = server.refresh(written.refreshToken)
      #expect(answer.status == 200)
      if step == 1 { continue }
      written = try answer.tokens()
      while try server.removeExpired(limit: 10) {}
      if step == 2 { continue }
      #expect(try server.problem(written.accessToken) == nil)
    }
  }

  @Test func `an access token lives an hour, a refresh token sixty days from its making`() throws {
    let server = try AuthenticationServer()
    var tokens = try server.signIn(phone).tokens
    server.advance(milliseconds: 3_599_999)
    #expect(try server.problem(tokens.accessToken) == nil)
    server.advance(milliseconds: 1)
    #expect(try server.problem(tokens.accessToken) == .unauthorized)
    for _ in 0..<3 {
      server.advance(milliseconds: 60 * 86_400_000 - 3_600_001)
      tokens = try server.refresh(tokens.refreshToken).tokens()
      server.advance(milliseconds: 3_600_000)
    }
    server.advance(days: 60)
    #expect(server.refresh(tokens.refreshToken).problem == .unauthorized)
  }

  @Test func `each token has one use`() throws {
    let server = try AuthenticationServer()
    let session = try server.signIn(phone)
    #expect(server.refresh(session.tokens.accessToken).problem == .unauthorized)
    #expect(server.refresh(session.alertKey).problem == .unauthorized)
    #expect(try server.problem(session.tokens.refreshToken) == .unauthorized)
    let swapped = "lsa_" + session.alertKey.dropFirst(4)
    #expect(try server.problem(swapped) == .unauthorized)
    let caller = try server.caller(session.alertKey)
    #expect(caller.isAlertKeyOnly && caller.account.id == session.user.id && caller.account.phone == phone)
  }

  @Test(arguments: ["", "lsr_", "lsr_AAAA", "nonsense", "lsr_" + String(repeating: "A", count: 43), "lsr_\u{0}"])
  func `an unknown refresh token is refused`(token: String) throws {
    let server = try AuthenticationServer()
    #expect(server.refresh(token).problem == .unauthorized)
  }

  @Test(arguments: ["Bearer", "Bearer ", "Basic abc", "Bearer a b", "lsa_AAAA", "Bearer lsa_AAAA"])
  func `an authorization in another form is refused`(header: String) throws {
    let server = try AuthenticationServer()
    #expect(try server.problem(header: header) == .unauthorized)
  }

  @Test func `the scheme is case-insensitive, and without a header there is no caller`() throws {
    let server = try AuthenticationServer()
    let session = try server.signIn(phone)
    #expect(try server.caller(header: "bEARER  \(session.tokens.accessToken)").account.id == session.user.id)
    #expect(try server.problem(header: nil) == .unauthorized)
    #expect(try server.problem(header: "") == .unauthorized)
  }

  @Test func `signing out ends the tokens and the alert key of this session only`() throws {
    let server = try AuthenticationServer()
    let gone = try server.signIn(phone)
    let kept = try server.signInAgain(phone)
    let refreshed = try server.refresh(gone.tokens.refreshToken).tokens()
    let answer = server.signOut(refreshed.accessToken)
    #expect(answer.status == 204 && answer.body.isEmpty)
    for token in [gone.tokens.accessToken, refreshed.accessToken, gone.alertKey] {
      #expect(try server.problem(token) == .sessionRevoked)
    }
    #expect(server.refresh(refreshed.refreshToken).problem == .sessionRevoked)
    #expect(server.refresh(gone.tokens.refreshToken).problem == .sessionRevoked)
    #expect(server.signOut(refreshed.accessToken).problem == .sessionRevoked)
    #expect(try server.caller(kept.tokens.accessToken).account.id == kept.user.id)
    #expect(try server.caller(kept.alertKey).account.id == kept.user.id)
    #expect(server.refresh(kept.tokens.refreshToken).status == 200)
  }

  @Test func `an alert key ends its session and itself, and no other`() throws {
    let server = try AuthenticationServer()
    let gone = try server.signIn(phone)
    let kept = try server.signInAgain(phone)
    #expect(server.signOut(gone.alertKey).status == 204)
    for token in [gone.tokens.accessToken, gone.alertKey] { #expect(try server.problem(token) == .sessionRevoked) }
    #expect(server.refresh(gone.tokens.refreshToken).problem == .sessionRevoked)
    #expect(server.signOut(gone.alertKey).problem == .sessionRevoked)
    #expect(try server.caller(kept.tokens.accessToken).account.id == kept.user.id)
    #expect(try server.caller(kept.alertKey).account.id == kept.user.id)
  }

  @Test func `an alert key can be ended after the tokens were revoked`() throws {
    let server = try AuthenticationServer()
    let session = try server.signIn(phone)
    let second = try server.refresh(session.tokens.refreshToken).tokens()
    _ = try server.refresh(second.refreshToken).tokens()
    #expect(server.refresh(session.tokens.refreshToken).problem == .sessionRevoked)
    #expect(try server.caller(session.alertKey).account.id == session.user.id)
    #expect(server.signOut(session.alertKey).status == 204)
    #expect(try server.problem(session.alertKey) == .sessionRevoked)
  }

  @Test func `no secret is in the store`() throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    let session = try SessionResponse(jsonBytes: server.guess(code, for: verification).body)
    let tokens = try server.refresh(session.tokens.refreshToken).tokens()
    let bytes = server.files.fileBytes()
    #expect(contains(bytes, Array(phone.utf8)))
    let secrets = [session.tokens.accessToken, session.tokens.refreshToken, session.alertKey, tokens.refreshToken]
    for text in secrets {
      let token = try #require(BearerToken(text))
      #expect(!contains(bytes, token.bytes))
      #expect(!contains(bytes, Array(text.utf8.dropFirst(4))))
    }
    #expect(!contains(bytes, Array(code.utf8)))
  }
}

/// Whether `bytes` contains `part`.
private func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
  var start = bytes.startIndex
  while let found = bytes[start...].firstIndex(of: part[0]) {
    if bytes[found...].starts(with: part) { return true }
    start = found + 1
  }
  return false
}
