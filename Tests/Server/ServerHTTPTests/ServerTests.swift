import ChildPrograms
import Model
import Schema
import ServerCore
import TestSupport
import Testing
import Wire

@testable import ServerHTTP

@Suite(.blocking) struct `The whole server` {
  @Test func `signs in over the wire`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    #expect(session.user.phone == "+12025550123")
    #expect(try server.client().get(Route.contacts, token: session.tokens.accessToken).text == #"{"contacts":[]}"#)
  }

  @Test(arguments: [
    #"{"device_id": "#, "", "[]", "null", #"{"device_id": 7}"#,
    #"{"device_id": "019a4f0e-0000-7000-8000-00000000d001", "limit": "x"}"#,
    #"{"device_id": "019a4f0e-0000-7000-8000-00000000d001", "mutations": {}}"#,
    #"{"device_id": "019a4f0e-0000-7000-8000-00000000d001", "mutations": [{}]}"#, "\u{FEFF}{}",
    String(repeating: "[", count: 10_000), String(repeating: #"{"a":"#, count: 10_000),
  ])
  func `answers an invalid exchange with 400`(_ body: String) throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let answer = try server.client().post(Route.sync, Array(body.utf8), token: session.tokens.accessToken)
    #expect(answer.status == 400)
    #expect(answer.isProblem)
  }

  @Test func `rejects an unknown kind for that item alone`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let body = """
      {"device_id": "019a4f0e-0000-7000-8000-00000000d001", "mutations": [
      {"id": "019a4f0e-0000-7000-8000-000000000001", "kind": "alert.explode", "occurred_at": "2026-11-21T16:20:00Z",
       "entity_id": "019a4f0e-0000-7000-8000-000000000002", "body": {}}]}
      """
    let answer = try server.client().post(Route.sync, Array(body.utf8), token: session.tokens.accessToken)
    #expect(answer.status == 200)
    let result = try #require(SyncResponse(jsonBytes: answer.body).results.first)
    #expect(result.status == .rejected)
    #expect(result.code == "unknown_kind")
  }

  @Test func `answers an unknown path with a problem`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    for (method, path, status) in [
      ("GET", "/nothing", 404), ("GET", "/v1/alerts/019a4f0e-0000-7000-8000-000000000002", 404),
      ("GET", "/v1/alerts/nonsense", 404), ("DELETE", Route.sync, 405), ("BREW", Route.health, 405),
      ("PUT", Route.description, 405),
    ] {
      let answer = try server.client().exchange(
        method, path, headers: ["Authorization: Bearer \(session.tokens.accessToken)"])
      #expect(answer.status == status, "\(method) \(path)")
      #expect(answer.isProblem)
      #expect(answer.headers["allow"] != nil || status == 404)
    }
  }

  @Test func `does not show one account to another`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let stranger = try server.signIn("+12025550124")
    let alert: AlertID = newID()
    _ = try server.sync(session, [(EntityID(alert), activation())])
    #expect(try server.client().get("/v1/alerts/\(alert)", token: session.tokens.accessToken).status == 200)
    let answer = try server.client().get("/v1/alerts/\(alert)", token: stranger.tokens.accessToken)
    #expect(answer.status == 404)
    #expect(answer.isProblem)
  }

  @Test func `wakes the account's streams within a second of a commit, and no others`() throws {
    let server = try LiveServer()
    let session = try server.signIn()
    let stranger = try server.signIn("+12025550124")
    let stream = try server.events(session)
    let other = try server.events(stranger)
    let start = monotonicMilliseconds()
    _ = try server.sync(session, [(newID(), activation())])
    _ = try stream.read(until: StreamEvent.change.text)
    #expect(monotonicMilliseconds() - start < 1000)
    #expect(!other.hasAnswer(withinMilliseconds: 20))
  }

  @Test func `reports its health and its description without a token`() throws {
    let server = try LiveServer()
    let client = try server.client()
    let health = try HealthResponse(jsonBytes: client.exchange("GET", Route.health).body)
    #expect(health.service == "lifesignal")
    let file = lifesignal_schema_openapi()
    let description = try client.exchange("GET", Route.description)
    #expect(description.headers["content-type"] == "application/yaml")
    #expect(description.body.count == file.length)
  }

  @Test func `reports at sign-in that it cannot send codes`() throws {
    let server = try LiveServer(codes: .none)
    let answer = try server.client().post(
      Route.verifications, VerificationRequest(phone: "+12025550123", region: nil).json())
    #expect(answer.status == 503)
    #expect(answer.isProblem)
    #expect(answer.text.contains("--sms"))
  }

  @Test func `sends codes through an SMS gateway`() throws {
    let gateway = try TestReceiver()
    let server = try LiveServer(codes: .gateway(GatewayTemplate(url: "http://127.0.0.1:\(gateway.port)/send")))
    let answer = try server.client().post(
      Route.verifications, VerificationRequest(phone: "+12025550123", region: nil).json())
    #expect(answer.status == 201)
    let received = try #require(gateway.next())
    #expect(received.line == "POST /send HTTP/1.1")
    #expect(received.headers["content-type"] == "application/json")
    #expect(String(decoding: received.body, as: UTF8.self).hasPrefix(#"{"to":"+12025550123","text":""#))
  }

  @Test func `stops within a second with open streams and connections, and keeps its data`() throws {
    let folder = ScratchFolder(in: ScratchFolder.onDisk)
    let first = try LiveServer(folder: folder)
    let session = try first.signIn()
    let alert: AlertID = newID()
    _ = try first.sync(session, [(EntityID(alert), activation())])
    let stream = try first.events(session)
    let idle = try first.client()
    let start = monotonicMilliseconds()
    first.stop()
    #expect(monotonicMilliseconds() - start < 1000)
    #expect(stream.readToEnd() != nil)
    #expect(idle.readToEnd() == "")
    let second = try LiveServer(folder: folder)
    #expect(try second.client().get("/v1/alerts/\(alert)", token: session.tokens.accessToken).status == 200)
  }
}

func activation(startedAt: Timestamp = LiveServer.now(), message: String? = nil) -> Mutation.Change {
  .activateAlert(
    AlertActivation(startedAt: startedAt, message: message, location: nil, isDrill: false, utcOffsetMinutes: 60))
}
