import CurlKit
import LocalStore
import Model
import ProgramTesting
import SystemKit
import Testing
import Wire

@testable import DeviceCore

/// How one of the two servers answers.
private enum Behavior: Sendable {
  case accepts, knowsNobody, endedTheSession, isDown, neverAnswers
}

/// The two servers that the configuration names.
private final class TwoServers: Sendable {
  static let endpoints = ["http://127.0.0.1:1", "http://127.0.0.1:2"]

  private let behaviors: [Behavior]
  private let requests = Lock<[(server: Int, timeoutMilliseconds: Int)]>([])

  init(_ first: Behavior, _ second: Behavior) { behaviors = [first, second] }

  /// The servers that were asked, in order.
  var asked: [Int] { requests.withLock { $0.map(\.server) } }
  var timeoutMilliseconds: [Int] { requests.withLock { $0.map(\.timeoutMilliseconds) } }

  func answer(_ request: CurlRequest) throws(CurlError) -> CurlResponse {
    let server = request.url.hasPrefix(Self.endpoints[0]) ? 0 : 1
    requests.withLock { $0.append((server, request.totalTimeoutMilliseconds ?? 0)) }
    switch behaviors[server] {
    case .accepts: return Self.response(200, "application/json", Self.acceptance(of: request.body))
    case .knowsNobody: return Self.problem(.unauthorized)
    case .endedTheSession: return Self.problem(.sessionRevoked)
    case .isDown: throw CurlError(.cannotConnect, "nobody is there")
    case .neverAnswers: throw CurlError(.timedOut, "no answer")
    }
  }

  private static func problem(_ kind: Problem.Kind) -> CurlResponse {
    let problem = Problem(kind, "who is this?")
    return response(problem.status, Problem.mediaType, problem.json())
  }

  private static func acceptance(of body: [UInt8]) -> [UInt8] {
    let request = try? SyncRequest(jsonBytes: body)
    let ids =
      (request?.mutations.map(\.id.description) ?? []) + (request?.notifications.map(\.id.description) ?? [])
    let now = DeviceClock.now().wall
    return SyncResponse(
      results: ids.map { ItemResult(id: $0, status: .applied, appliedAt: now) }, changes: [], cursor: "c1",
      hasMore: false, epoch: "one", serverTime: now
    ).json()
  }

  private static func response(_ status: Int, _ contentType: String, _ body: [UInt8]) -> CurlResponse {
    CurlResponse(head: CurlResponseHead(status: status, headers: ["content-type": contentType]), body: body)
  }
}

/// The first server's name may resolve to a wrong server, or to an address that swallows everything.
@Suite(.blocking) struct `A second server` {
  private let device: TestDevice
  private var home: HomeDirectory { HomeDirectory(path: device.home) }

  init() throws {
    device = try TestDevice()
    try device.signInLocally(endpoint: TwoServers.endpoints[0])
    try #require(try device.run("config", "set", "second_endpoint", TwoServers.endpoints[1]).status == 0)
  }

  /// Sends a call that is in the spool.
  private func send(
    to servers: TwoServers, withinMilliseconds milliseconds: Int64 = 10_000
  ) throws -> EmergencyFromMemory.FallbackOutcome {
    _ = try Spool.activate(AlertDraft(), home: home, options: .live, at: DeviceClock.now())
    let memory = EmergencyFromMemory(
      home, caller: { request throws(CurlError) in try servers.answer(request) }, pause: { _ in })
    return try #require(memory).sendUnsent(at: DeviceClock.now(), withinMilliseconds: milliseconds)
  }

  @Test func `gets a call for help where the first does not know this device`() throws {
    let servers = TwoServers(.knowsNobody, .accepts)
    #expect(try send(to: servers).sentCount == 1)
    #expect(servers.asked == [0, 1])
  }

  @Test func `is asked once where it does not know this device either`() throws {
    let servers = TwoServers(.knowsNobody, .knowsNobody)
    #expect(try send(to: servers).obstacle == .notSignedIn("who is this?"))
    #expect(servers.asked == [0, 1])
  }

  @Test func `gets half of the time where the first never answers`() throws {
    let servers = TwoServers(.neverAnswers, .accepts)
    #expect(try send(to: servers).sentCount == 1)
    #expect(servers.asked == [0, 1])
    #expect(servers.timeoutMilliseconds[0] <= 5000 && servers.timeoutMilliseconds[1] > 5000)
  }

  @Test func `is tried on alone where the first does not know this device, which is then the reason`() throws {
    let servers = TwoServers(.knowsNobody, .isDown)
    #expect(try send(to: servers, withinMilliseconds: 900).obstacle == .notReached("who is this?"))
    #expect(servers.asked == [0, 1])
  }

  private func pull(from servers: TwoServers) throws -> Result<Int, SyncFailure> {
    let store = try device.openStore()
    defer { store.close() }
    return FreshPull.run(store, limitMilliseconds: 500) { request throws(CurlError) in try servers.answer(request) }
  }

  @Test func `tells what is new where the first does not know this device`() throws {
    let servers = TwoServers(.knowsNobody, .accepts)
    #expect(try pull(from: servers) == .success(0))
    #expect(servers.asked == [0, 1])
  }

  /// The first one may be right, and the token over, which the process with the lease renews.
  @Test func `leaves time to wait for a new token`() throws {
    let servers = TwoServers(.knowsNobody, .neverAnswers)
    #expect(try pull(from: servers) == .failure(SyncFailure(.unauthorized, "who is this?")))
    #expect(servers.asked == [0, 1] && servers.timeoutMilliseconds[1] <= 250)
  }

  @Test func `is not asked for news where the first says that the session was ended`() throws {
    let servers = TwoServers(.endedTheSession, .accepts)
    #expect(try pull(from: servers) == .failure(SyncFailure(.unauthorized, "who is this?", isRevoked: true)))
    #expect(servers.asked == [0])
  }
}
