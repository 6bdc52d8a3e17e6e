import Model
import Testing
import Wire

@testable import ServerCore

@Suite struct HousekeepingTests {
  private let phone = "+12025550123"

  @Test func `expired rows are removed in batches, and the others stay`() throws {
    var limits = AuthenticationLimits()
    limits.codesPerAddressAndHour = 1000
    limits.codesPerNetworkAndHour = 1000
    let server = try AuthenticationServer(limits)
    let kept = try server.signIn(phone)
    let gone = try server.signIn("+442079460958")
    #expect(server.signOut(gone.tokens.accessToken).status == 204)
    for index in 0..<50 { #expect(server.verify("+1202555\(1000 + index)").status == 201) }
    server.advance(days: 8)
    let tokens = try server.refresh(kept.tokens.refreshToken).tokens()

    var calls = 1
    while try server.removeExpired(limit: 10) { calls += 1 }
    #expect(calls > 5)
    var needs = RequestNeeds()
    needs.resend = ResendNeed(phone: phone, upTo: server.now)
    #expect(try server.facts(needs).latestResend == nil)
    #expect(server.refresh(gone.tokens.refreshToken).problem == .unauthorized)
    #expect(try server.caller(tokens.accessToken).account.id == kept.user.id)
    #expect(try server.caller(kept.alertKey).account.id == kept.user.id)
    #expect(try server.removeExpired(limit: 10) == false)
  }

  @Test func `a session that its alert key ended is removed like any other`() throws {
    let server = try AuthenticationServer()
    let session = try server.signIn(phone)
    server.advance(days: 61)
    while try server.removeExpired(limit: 10) {}
    #expect(server.refresh(session.tokens.refreshToken).problem == .unauthorized)
    #expect(server.signOut(session.alertKey).status == 204)
    server.advance(days: 6)
    while try server.removeExpired(limit: 10) {}
    #expect(try server.problem(session.alertKey) == .sessionRevoked)
    server.advance(days: 2)
    while try server.removeExpired(limit: 10) {}
    #expect(try server.problem(session.alertKey) == .unauthorized)
  }

  @Test func `a code is reported as expired for an hour, then as unknown`() throws {
    let server = try AuthenticationServer()
    let (verification, code) = try server.code(for: phone)
    server.advance(seconds: 600 + 3600)
    _ = try server.removeExpired(limit: 10)
    #expect(server.guess(code, for: verification).problem == .codeExpired)
    server.advance(seconds: 1)
    _ = try server.removeExpired(limit: 10)
    #expect(server.guess(code, for: verification).problem == .codeWrong)
  }

  @Test func `reuse is detected for a week, and revokes nothing after that`() throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    var newest = try server.refresh(first.refreshToken).tokens()
    newest = try server.refresh(newest.refreshToken).tokens()
    server.advance(days: 8)
    while try server.removeExpired(limit: 10) {}
    #expect(server.refresh(first.refreshToken).problem == .unauthorized)
    #expect(server.refresh(newest.refreshToken).status == 200)
  }

  @Test func `a lost answer is repeated after housekeeping too`() throws {
    let server = try AuthenticationServer()
    let first = try server.signIn(phone).tokens
    let lost = try server.refresh(first.refreshToken).tokens()
    server.advance(days: 59)
    while try server.removeExpired(limit: 10) {}
    #expect(try server.refresh(first.refreshToken).tokens().refreshToken == lost.refreshToken)
  }

  @Test func `the limits still hold after housekeeping`() throws {
    let server = try AuthenticationServer()
    for index in 0..<5 {
      #expect(server.verify(phone, from: "10.0.\(index).1").status == 201)
      server.advance(seconds: 600)
    }
    while try server.removeExpired(limit: 10) {}
    #expect(server.verify(phone).retryAfterSeconds == 600)
  }
}
