import CurlKit
import Model
import ServerCore
import SyncEngine
import Wire

/// Carries requests between the devices and the server, or does not.
final class Network {
  /// Where the server is for the devices.
  static let endpoint = "https://signal.example"
  /// Another path to the same server, past any stranger.
  static let secondEndpoint = "https://second.example"

  private let world: World
  private let server: SimulatedServer
  private var random: SimulatedRandom
  let versions: NewerVersion

  init(world: World, server: SimulatedServer) {
    self.world = world
    self.server = server
    versions = NewerVersion(world: world)
    random = world.random("network")
  }

  /// Sends a request of the sync engine. `reply` is told at most once for a call, and again and again for a stream.
  func send(_ request: TransportRequest, from device: SimulatedDevice, reply: @escaping (SyncEvent) -> Void) {
    let link = device.link
    let id = request.id
    let isRefresh = request.url.hasSuffix(Route.tokens)
    if isRefresh { device.refreshes += 1 }
    let refreshes = device.refreshes
    world.oracle.requested(by: device.number, now: world.now)
    guard link.isUp else { return failToConnect(request, reply) }
    if let stranger = link.stranger, request.url.hasPrefix(Self.endpoint) {
      return world.after(latency(link)) { reply(.answer(id, stranger.answer)) }
    }
    guard !random.chance(link.loss) else { return lose(request, reply) }
    let call = versions.request(
      Self.serverRequest(
        request.method, request.url, authorization: request.headers.first { $0.name == "Authorization" }?.value,
        body: request.body, from: device))
    world.after(latency(link)) { [self] in
      arrive(call, request, device, reply)
    }
    guard !request.isStream, random.chance(link.duplicates) else { return }
    // A copy of a refresh that comes later than the design forgives cannot be told from a thief's (RFC 9700 §4.14.2).
    let latest = isRefresh ? AuthenticationLimits().delayedCopyMilliseconds - 5000 : 120_000
    world.after(random.number(1...latest)) { [self] in
      guard device.link.isUp else { return }
      world.note("network", "a copy of \(request) from \(device.name) arrives")
      // Nor can one that comes after the next refresh, however soon.
      if isRefresh, device.refreshes > refreshes { device.looksStolen = true }
      _ = server.respond(to: call)
    }
  }

  private func arrive(
    _ call: ServerRequest, _ request: TransportRequest, _ device: SimulatedDevice,
    _ reply: @escaping (SyncEvent) -> Void
  ) {
    guard device.link.isUp else { return lose(request, reply) }
    guard let response = server.respond(to: call) else { return lose(request, reply) }
    switch response {
    case .eventStream(let account): open(request, account, device, reply)
    case .full(let answer):
      guard !random.chance(device.link.lostAnswers + device.link.loss) else {
        world.note("network", "the answer to \(request) from \(device.name) is lost")
        return lose(request, reply)
      }
      world.after(latency(device.link)) { [self] in
        guard device.link.isUp else { return lose(request, reply) }
        var answer = answer
        answer.body = versions.answer(answer.body, to: call)
        reply(.answer(request.id, Self.answer(answer)))
      }
    }
  }

  private func open(
    _ request: TransportRequest, _ account: AccountID, _ device: SimulatedDevice, _ reply: @escaping (SyncEvent) -> Void
  ) {
    let stream = EventStream(account: account, device: device) { [self] event in
      world.after(latency(device.link)) {
        guard device.link.isUp else { return }
        switch event {
        case .opened: reply(.streamOpened(request.id))
        case .said(let event): reply(.stream(request.id, event))
        case .ended: reply(.failure(request.id, .protocolError("closed")))
        }
      }
    }
    server.add(stream)
  }

  /// A call of a command that waits for it: the time that it takes does not pass.
  func call(_ request: CurlRequest, from device: SimulatedDevice) throws(CurlError) -> CurlResponse {
    let link = device.link
    guard link.isUp else { throw CurlError(.cannotConnect, "no connection") }
    if let stranger = link.stranger, request.url.hasPrefix(Self.endpoint) {
      return Self.response(stranger.answer)
    }
    guard !random.chance(link.loss) else { throw CurlError(.timedOut, "no answer") }
    let call = Self.serverRequest(
      request.method, request.url, authorization: request.headers.first { $0.name == "Authorization" }?.value,
      body: request.body, from: device)
    guard case .full(let answer)? = server.respond(to: call) else { throw CurlError(.cannotConnect, "nobody there") }
    guard !random.chance(link.lostAnswers) else { throw CurlError(.timedOut, "the answer was lost") }
    return Self.response(Self.answer(answer))
  }

  // MARK: Failing

  private func failToConnect(_ request: TransportRequest, _ reply: @escaping (SyncEvent) -> Void) {
    switch random.fraction() {
    case ..<0.3: fail(request, .cannotResolve, after: random.number(1...200), reply)
    case ..<0.7: fail(request, .cannotConnect, after: random.number(1...500), reply)
    default: fail(request, .timedOut, after: Int64(request.connectTimeoutMilliseconds), reply)
    }
  }

  /// Neither end hears of it: a time-out, or a reset on the way.
  private func lose(_ request: TransportRequest, _ reply: @escaping (SyncEvent) -> Void) {
    if request.isStream || random.chance(0.3) {
      fail(request, .protocolError("reset"), after: random.number(1...2000), reply)
    } else {
      fail(request, .timedOut, after: Int64(request.totalTimeoutMilliseconds), reply)
    }
  }

  private func fail(
    _ request: TransportRequest, _ failure: TransportFailure, after milliseconds: Int64,
    _ reply: @escaping (SyncEvent) -> Void
  ) {
    world.after(milliseconds) { reply(.failure(request.id, failure)) }
  }

  private func latency(_ link: Link) -> Int64 { random.number(link.latency) }

  // MARK: Between the shapes of the two sides

  private static func serverRequest(
    _ method: String, _ url: String, authorization: String?, body: [UInt8], from device: SimulatedDevice
  ) -> ServerRequest {
    let path =
      [endpoint, secondEndpoint].first { url.hasPrefix($0) }.map { String(url.dropFirst($0.utf8.count)) } ?? url
    return ServerRequest(
      method: method, path: path, authorization: authorization, contentType: body.isEmpty ? nil : "application/json",
      body: body, remoteAddress: "192.0.2.\(device.number + 1)")
  }

  private static func answer(_ response: FullResponse) -> HTTPAnswer {
    var headers: [String: String] = [:]
    for header in response.headers { headers[header.name.lowercased()] = header.value }
    headers["content-type"] = response.mediaType
    return HTTPAnswer(status: response.status, headers: headers, body: response.body)
  }

  private static func response(_ answer: HTTPAnswer) -> CurlResponse {
    CurlResponse(head: CurlResponseHead(status: answer.status, headers: answer.headers), body: answer.body)
  }
}

/// One device's open event stream, as the server has it.
final class EventStream {
  enum Event {
    case opened
    case said(StreamEvent)
    case ended
  }

  let account: AccountID
  let device: SimulatedDevice
  let tell: (Event) -> Void

  init(account: AccountID, device: SimulatedDevice, tell: @escaping (Event) -> Void) {
    self.account = account
    self.device = device
    self.tell = tell
  }
}
