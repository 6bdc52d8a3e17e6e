import LocalStore
import Model
import SyncEngine
import Testing
import Wire

@Suite struct AnswerClassifierTests {
  static let now = Timestamp(milliseconds: 1_800_000_000_000)
  static let response = SyncResponse(
    results: [ItemResult(id: "x", status: .applied)], changes: [], cursor: "c", hasMore: false, epoch: "e",
    serverTime: now)

  static func classify(
    _ status: Int, _ body: String = "", type: String? = nil, headers: [String: String] = [:]
  ) -> AnswerOutcome<SyncResponse> {
    var headers = headers
    headers["content-type"] = type
    let answer = HTTPAnswer(status: status, headers: headers, body: Array(body.utf8))
    return AnswerClassifier.classify(answer, as: SyncResponse.self, now: now)
  }

  static func problem(
    _ kind: Problem.Kind, status: Int? = nil, headers: [String: String] = [:]
  ) -> AnswerOutcome<SyncResponse> {
    let body = String(decoding: Problem(kind, "why").json(), as: UTF8.self)
    return classify(status ?? kind.status, body, type: "application/problem+json; charset=utf-8", headers: headers)
  }

  static func kind(_ outcome: AnswerOutcome<SyncResponse>) -> SyncFailure.Kind? {
    switch outcome {
    case .accepted, .rejected: nil
    case .credentialsNeeded(let failure), .tooLarge(let failure, _), .tryLater(let failure, _),
      .notOurServer(let failure):
      failure.kind
    }
  }

  @Test func `our answer is accepted`() {
    let body = String(decoding: Self.response.json(), as: UTF8.self)
    #expect(Self.classify(200, body, type: "application/json") == .accepted(Self.response))
  }

  @Test(arguments: [
    (200, ""), (200, "<html>Sign in to the hotel</html>"), (200, "{}"), (200, "[]"), (200, "null"),
    (200, "{\"results\":"),
    (200, #"{"results":[],"changes":[],"cursor":1,"has_more":false,"epoch":"e","server_time":"x"}"#),
    (201, ""), (204, ""), (206, ""), (301, ""), (302, ""), (304, ""), (400, "Bad Request"), (401, "<html>"),
    (402, ""), (403, "<html>blocked</html>"), (404, "<html>"), (405, ""), (410, ""), (418, ""), (451, ""), (100, ""),
    (0, ""), (-1, ""), (999, ""),
  ])
  func `another server's answer is not ours`(status: Int, body: String) {
    #expect(Self.kind(Self.classify(status, body, type: "text/html")) == .notOurServer)
    #expect(Self.kind(Self.classify(status, body)) == .notOurServer)
  }

  @Test func `an answer nested ten thousand deep is not our server`() {
    let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
    #expect(Self.kind(Self.classify(200, deep)) == .notOurServer)
    #expect(Self.kind(Self.classify(400, deep, type: Problem.mediaType)) == .notOurServer)
  }

  @Test(arguments: [
    #"{"type":"about:blank","title":"Bad Request","status":400}"#, #"{"title":"no type"}"#, "[]", "", "null",
    #"{"type":"urn:lifesignal:problem:of-tomorrow"}"#, #"{"type":7}"#,
  ])
  func `another server's problem is not our refusal`(body: String) {
    #expect(Self.kind(Self.classify(400, body, type: Problem.mediaType)) == .notOurServer)
  }

  @Test func `our problem counts only with its own media type and status`() {
    let body = String(decoding: Problem(.malformedRequest, "why").json(), as: UTF8.self)
    #expect(Self.classify(400, body, type: Problem.mediaType) == .rejected(Problem(.malformedRequest, "why")))
    #expect(Self.kind(Self.classify(400, body, type: "application/json")) == .notOurServer)
    #expect(Self.kind(Self.problem(.malformedRequest, status: 404)) == .notOurServer)
    #expect(Self.kind(Self.problem(.malformedRequest, status: 200)) == .notOurServer)
    #expect(Self.kind(Self.problem(.unauthorized, status: 500)) == .serverError)
  }

  @Test func `only a malformed request is a permanent refusal`() {
    for kind in Problem.Kind.allCases where kind != .malformedRequest {
      if case .rejected = Self.problem(kind) { Issue.record("\(kind) was treated as final") }
    }
  }

  @Test func `our 401 asks for credentials`() {
    for kind in [Problem.Kind.unauthorized, .sessionRevoked] {
      let isRevoked = kind == .sessionRevoked
      #expect(Self.problem(kind) == .credentialsNeeded(SyncFailure(.unauthorized, "why", isRevoked: isRevoked)))
    }
  }

  @Test func `any 413 means too large, and only ours has a problem`() {
    let ours = Self.problem(.bodyTooLarge)
    guard case .tooLarge(_, let problem) = ours else {
      Issue.record("\(ours)")
      return
    }
    #expect(problem?.kind == .bodyTooLarge)
    let other = Self.classify(413, "<html>", type: "text/html")
    guard case .tooLarge(_, nil) = other else {
      Issue.record("\(other)")
      return
    }
  }

  @Test(arguments: [408, 425, 429, 500, 502, 503, 504, 599])
  func `a server that is down or busy is retried when it says`(status: Int) {
    let outcome = Self.classify(status, "<html>", headers: ["retry-after": "7"])
    guard case .tryLater(let failure, 7000) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.kind == (status == 429 ? .rateLimited : .serverError))
  }

  /// A box of a network may have written it, which the device has left when the time is over.
  @Test(arguments: [429, 503]) func `only our server is left alone for longer than half a minute`(status: Int) {
    let asked = ["retry-after": "86400"]
    guard case .tryLater(_, 30_000) = Self.classify(status, "<html>", headers: asked) else {
      Issue.record("it waits for as long as anybody asks")
      return
    }
    guard case .tryLater(_, 86_400_000) = Self.problem(.unavailable, headers: asked) else {
      Issue.record("our server is not heard")
      return
    }
  }

  @Test func `a network that wants a log-in is not our server`() {
    #expect(Self.kind(Self.classify(511, "<html>")) == .notOurServer)
  }

  @Test func `an invalid delay counts as missing`() {
    for value in ["-5", "soon", "1e12", ""] {
      let outcome = Self.problem(.unavailable, headers: ["retry-after": value])
      guard case .tryLater(_, nil) = outcome else {
        Issue.record("\(outcome)")
        return
      }
    }
  }

  @Test func `a text from the network becomes one short line`() {
    let body =
      #"{"type":"urn:lifesignal:problem:unavailable","detail":"a\nb\u001b[31m"# + String(repeating: "x", count: 9999)
      + "\"}"
    let outcome = Self.classify(503, body, type: Problem.mediaType)
    guard case .tryLater(let failure, _) = outcome else {
      Issue.record("\(outcome)")
      return
    }
    #expect(failure.message.count <= 300)
    #expect(failure.message.hasPrefix("a b [31mx"))
  }

  @Test func `a request and an answer show no secret when printed`() {
    let request = TransportRequest(
      id: RequestID(number: 1), method: "POST", url: "https://a.example/v1/sync",
      headers: [TransportRequest.Header("Authorization", "Bearer canary")], body: Array("canary".utf8), isStream: false,
      connectTimeoutMilliseconds: 1, totalTimeoutMilliseconds: 1, maximumBodyBytes: 1)
    let answer = HTTPAnswer(status: 200, headers: ["x": "canary"], body: Array("canary".utf8))
    var dumped = ""
    dump(request, to: &dumped)
    dump(SyncCommand.send(request), to: &dumped)
    dump(SyncEvent.answer(request.id, answer), to: &dumped)
    let printed = "\(request) \(answer) \(SyncCommand.send(request)) \(String(reflecting: request)) \(dumped)"
    #expect(!printed.contains("canary"))
    #expect(!dumped.contains("99, 97, 110"))
  }
}
