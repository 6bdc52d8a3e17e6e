import ChildPrograms
import CurlKit
import Model
import SystemKit
import Testing
import Wire

@testable import CurlTransport

@Suite(.blocking) struct `Account calls` {
  private func calls(_ server: ScriptedServer) -> AccountCalls { AccountCalls(endpoint: server.url) }

  private func answering(
    _ body: [UInt8], status: String = "200 OK", type: String = "application/json"
  ) throws
    -> ScriptedServer
  {
    let text = String(decoding: body, as: UTF8.self)
    return try ScriptedServer { $0.answer(text, status: status, type: type) }
  }

  private static let time = Timestamp(milliseconds: 1_800_000_000_000)

  @Test func `a code is requested, and its verification is read`() throws {
    let expected = VerificationResponse(verificationID: "v1", expiresAt: Self.time, resendAt: Self.time)
    let server = try answering(expected.json(), status: "201 Created")
    #expect(try calls(server).requestCode(phone: "202 555 0100", region: "US") == expected)
    let request = try #require(server.requests.first)
    #expect(request.method == "POST" && request.path == Route.verifications)
    #expect(request.headers["content-type"] == "application/json")
    #expect(
      try VerificationRequest(jsonBytes: request.body) == VerificationRequest(phone: "202 555 0100", region: "US"))
  }

  @Test func `a code gets a session, and a refresh token gets new tokens`() throws {
    let tokens = TokenResponse(accessToken: "a", refreshToken: "r", expiresAt: Self.time)
    let user = SessionResponse.User(id: AccountID(versionSevenAt: Self.time, random: (1, 2)), phone: "+12025550100")
    let session = SessionResponse(tokens: tokens, alertKey: "k", user: user)
    let server = try ScriptedServer {
      $0.answer(String(decoding: $0.request.path == Route.tokens ? tokens.json() : session.json(), as: UTF8.self))
    }
    #expect(try calls(server).createSession(verificationID: "v", code: "123456", deviceName: "here") == session)
    #expect(try calls(server).refresh(refreshToken: "old") == tokens)
  }

  @Test func `signing out sends the token, and expects a 204`() throws {
    let server = try ScriptedServer { $0.send("HTTP/1.1 204 No Content\r\n\r\n") }
    try calls(server).deleteSession(token: "canary")
    let request = try #require(server.requests.first)
    #expect(request.method == "DELETE" && request.path == Route.currentSession)
    #expect(request.headers["authorization"] == "Bearer canary")
    let other = try answering(Array("fine".utf8), type: "text/html")
    #expect(throws: AccountCallError.notOurServer(status: 200)) { try calls(other).deleteSession(token: "x") }
  }

  @Test func `the server's refusal keeps its own text`() throws {
    let problem = Problem(.codeWrong, "the code is wrong: 4 tries are left")
    let server = try answering(
      problem.json(), status: "422 Unprocessable", type: "application/problem+json; charset=utf-8")
    #expect(throws: AccountCallError.problem(problem)) {
      try calls(server).createSession(verificationID: "v", code: "1", deviceName: "d")
    }
  }

  @Test(arguments: [
    ("200 OK", "text/html", "<html>sign in</html>"), ("404 Not Found", "text/html", "<html></html>"),
    ("200 OK", "application/json", "{}"), ("200 OK", "application/json", "["), ("200 OK", "text/plain", "ok"),
    ("403 Forbidden", "application/problem+json", "{\"type\":\"about:blank\"}"),
    ("403 Forbidden", "application/json", "{\"type\":\"urn:lifesignal:problem:forbidden\"}"),
    ("404 Not Found", "application/problem+json", "{\"type\":\"urn:lifesignal:problem:session-revoked\"}"),
    ("500 No", "application/problem+json", "{\"type\":\"urn:lifesignal:problem:unauthorized\",\"status\":401}"),
    ("302 Found", "text/html", ""), ("204 No Content", "text/html", ""),
  ])
  func `another server's answer is not ours`(status: String, type: String, body: String) throws {
    let server = try ScriptedServer { $0.answer(body, status: status, type: type) }
    let number = try #require(Int(status.prefix(3)))
    #expect(throws: AccountCallError.notOurServer(status: number)) {
      try calls(server).requestCode(phone: "1", region: nil)
    }
    #expect(throws: AccountCallError.notOurServer(status: number)) { try calls(server).checkHealth() }
  }

  @Test func `an unreachable server is a transport failure`() throws {
    let server = try ScriptedServer { _ in false }
    server.close()
    do {
      _ = try calls(server).checkHealth()
      Issue.record("the server answered")
    } catch {
      guard case .transport(let failure) = error else { throw error }
      #expect(failure.code == .cannotConnect && !failure.message.isEmpty)
    }
  }

  @Test func `plain HTTP to another machine is refused before anything is sent`() throws {
    do {
      _ = try AccountCalls(endpoint: "http://example.org").requestCode(phone: "1", region: nil)
      Issue.record("the request was sent")
    } catch {
      guard case .transport(let failure) = error else { throw error }
      #expect(failure.code == .invalidRequest)
    }
  }

  @Test func `health measures the offset of the clocks, minus half the round trip`() throws {
    let server = try answering(HealthResponse(serverTime: Self.time).json())
    // The clock is read before and after, 100 ms apart. It is 7 s ahead of the server, plus half the round trip.
    let readings = Lock([1000, 1100] as [Int64])
    let health = try calls(server).checkHealth {
      Moment(
        wall: Self.time.advanced(byMilliseconds: 50 + 7000),
        monotonicMilliseconds: readings.withLock { $0.removeFirst() })
    }
    #expect(health == ServerHealth(clockOffsetMilliseconds: -7000, roundTripMilliseconds: 100))
  }

  @Test func `another JSON service is not ours`() throws {
    let server = try answering(HealthResponse(service: "other", serverTime: Self.time).json())
    #expect(throws: AccountCallError.notOurServer(status: 200)) { try calls(server).checkHealth() }
  }
}
