import Model
import Testing
import Wire

@testable import ServerCore

/// Tests that an invalid request is answered with a problem, never with a 5xx or a crash.
@Suite struct `Bad requests` {
  let server: AlertsServer
  let device: AlertsDevice

  init() throws {
    server = try AlertsServer()
    device = try server.signIn("+12025550123")
  }

  private static let device = "00000000-0000-7000-8000-000000000000"
  private static let bodies: [(String, Problem.Kind)] = [
    ("", .malformedRequest), ("{", .malformedRequest), ("nothing", .malformedRequest), ("[]", .malformedRequest),
    ("null", .malformedRequest), ("{}", .malformedRequest), (#"{"device_id":7}"#, .malformedRequest),
    (#"{"device_id":"x"}"#, .malformedRequest), (#"{"device_id":"\#(device)","limit":0}"#, .malformedRequest),
    (#"{"device_id":"\#(device)","limit":"9"}"#, .malformedRequest),
    (#"{"device_id":"\#(device)","mutations":[7]}"#, .malformedRequest),
    (#"{"device_id":"\#(device)","notifications":{}}"#, .malformedRequest),
    (String(repeating: "[", count: 10_000), .malformedRequest),
    (String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000), .malformedRequest),
    (String(repeating: #"{"a":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000), .malformedRequest),
    (String(repeating: " ", count: 2 << 20), .bodyTooLarge),
  ]

  @Test(arguments: bodies)
  func `an invalid body is refused`(body: String, problem: Problem.Kind) {
    for path in [Route.sync, Route.verifications, Route.sessions, Route.tokens] {
      let outcome = server.send("POST", path, Array(body.utf8), token: device.token)
      let isTooLarge = path != Route.sync && body.utf8.count > 16 << 10
      let expected: Problem.Kind = isTooLarge ? .bodyTooLarge : problem
      #expect(outcome.problem == expected, "\(path)")
    }
  }

  @Test func `bytes that are not UTF-8 are refused`() {
    let bytes: [UInt8] = Array(#"{"device_id":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8)
    #expect(server.send("POST", Route.sync, bytes, token: device.token).problem == .malformedRequest)
  }

  @Test func `an unknown kind is refused alone`() throws {
    let id = "00000000-0000-7000-8000-000000000001"
    let item =
      #"{"id":"\#(id)","kind":"alert.explode","entity_id":"\#(id)","occurred_at":"2026-11-21T12:00:00Z","body":{}}"#
    let text = #"{"device_id":"\#(Self.device)","mutations":[\#(item)]}"#
    let outcome = server.send("POST", Route.sync, Array(text.utf8), token: device.token)
    #expect(try SyncResponse(jsonBytes: outcome.body).codes == ["unknown_kind"])
  }

  @Test(arguments: [nil, "text/plain", "application/jsonx", "multipart/form-data; boundary=x"] as [String?])
  func `a body of another type is refused`(type: String?) {
    let outcome = server.send("POST", Route.sync, Array("{}".utf8), token: device.token, contentType: type)
    #expect(outcome.problem == .unsupportedMediaType)
  }

  @Test(arguments: ["application/json", "Application/JSON; charset=utf-8", "application/json;charset=utf-8"])
  func `the media type of JSON is recognized in every spelling`(type: String) {
    let body = #"{"device_id":"\#(Self.device)"}"#
    #expect(server.send("POST", Route.sync, Array(body.utf8), token: device.token, contentType: type).status == 200)
  }

  @Test(arguments: [
    "", "/", "/v1", "/v1/", "/v1/sync/", "//v1/sync", "/v2/sync", "/V1/SYNC", "/v1/alerts/a/b", "/b/a\u{0}",
  ])
  func `an unknown path is not found`(path: String) {
    #expect(server.send("GET", path, token: device.token).problem == .notFound)
  }

  @Test func `another method is answered with the allowed ones`() {
    for entry in RouteTable.main.entries {
      let path = entry.pattern.replacing("{id}", with: "x")
      for method in ["PUT", "PATCH", "OPTIONS", "TRACE", "BREW", "get", ""] {
        let outcome = server.send(method, path)
        #expect(outcome.problem == .methodNotAllowed)
        #expect(outcome.header("Allow")?.contains(entry.method) == true)
      }
    }
  }

  @Test func `every route requires the access in the table`() throws {
    // The routes that end the session come last.
    let entries = RouteTable.main.entries.sorted { $1.pattern == Route.currentSession && $0.pattern != $1.pattern }
    for entry in entries {
      let path = entry.pattern.replacing("{id}", with: Self.device)
      let anonymous = server.send(entry.method, path, contentType: nil)
      // Without a gateway that hands over answers there is nothing at its route.
      guard entry.access != .page, entry.access != .gateway else {
        #expect(anonymous.status == 404, "\(path)")
        continue
      }
      #expect((anonymous.status == 401) == (entry.access != .anyone), "\(path)")
      #expect(entry.access == .anyone || anonymous.header("WWW-Authenticate") == "Bearer")
      let withKey = server.send(entry.method, path, token: device.session.alertKey, contentType: nil)
      #expect((withKey.status == 403) == (entry.access == .session), "\(path)")
      let wrong = server.send(entry.method, path, token: "lsa_wrong", contentType: nil)
      #expect((wrong.status == 401) == (entry.access != .anyone), "\(path)")
    }
  }

  @Test func `a body must have the type in the table, and a problem has the form in the table`() throws {
    let table = RouteTable([
      RouteEntry("POST", "/form", body: .form, errors: .page, .immediate) { _ in
        Rule { _, _ throws(Problem) in throw Problem(.notFound, "<none> & nothing") }
      },
      RouteEntry("GET", "/plain", .immediate) { _ in Rule { _, _ in .noContent } },
    ])
    func send(_ method: String, _ path: String, _ type: String) throws -> FullResponse {
      let request = ServerRequest(
        method: method, path: path, contentType: type, body: Array("a=b".utf8), remoteAddress: "192.0.2.1")
      guard case .answer(let outcome) = server.core.begin(request, at: server.moment(), in: table),
        case .full(let response) = outcome.response
      else { throw StorageError(.internalError, "the route needs a store") }
      return response
    }
    let page = try send("POST", "/form", "application/x-www-form-urlencoded; charset=utf-8")
    #expect(page.status == 404 && page.mediaType == "text/html; charset=utf-8")
    #expect(String(decoding: page.body, as: UTF8.self).contains("This link does not work."))
    #expect(try send("POST", "/form", "application/json").status == 415)
    #expect(try send("GET", "/plain", "text/plain").status == 204, "the route reads no body")
  }

  @Test func `a request's errors are shown only to authorized callers`() throws {
    for path in [Route.alerts + "?limit=x", Route.alerts + "/nothing"] {
      let parts = path.split(separator: "?")
      let query = parts.count > 1 ? ["limit": "x"] : [:]
      #expect(server.send("GET", String(parts[0]), query: query).status == 401)
      #expect(server.send("GET", String(parts[0]), query: query, token: device.session.alertKey).status == 403)
      #expect([400, 404].contains(server.send("GET", String(parts[0]), query: query, token: device.token).status))
    }
  }

  @Test func `the probes answer, and a broken store is reported without details`() throws {
    #expect(server.send("GET", Route.ready).status == 200)
    let broken = server.core.respond(
      to: ServerRequest(method: "GET", path: Route.ready, remoteAddress: ""), at: server.moment(), in: BrokenStore())
    #expect(broken.problem == .unavailable && broken.fault?.code == .diskFull)
    #expect(!broken.text.contains("secret detail"))
  }

  private struct BrokenStore: ServerStore {
    func read<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
      throw StorageError(.diskFull, "secret detail")
    }

    func write<Result>(_ body: (any ServerTransaction) throws -> Result) throws -> Result {
      throw StorageError(.diskFull, "secret detail")
    }
  }
}
