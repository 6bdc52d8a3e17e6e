import CurlKit
import Model
import ServerCore
import SyncEngine
import Wire

/// Carries requests between the devices and the server, or loses them.
final class Network {
  /// The server's address for the devices.
  static let endpoint = "https://signal.example"
  /// A second path to the same server, past any stranger.
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

  /// Sends a request of the sync engine. Calls `reply` at most once for a call, and repeatedly for a stream.
  func send(
    _ request: TransportRequest, from device: SimulatedDevice, reply: @escaping (SyncEvent) -> Void
  ) -> Transfer {
    let link = device.link
    let id = request.id
    let transfer = Transfer(request, at: world.now)
    let isRefresh = request.url.hasSuffix(Route.tokens)
    if isRefresh { device.refreshes += 1 }
    let refreshes = device.refreshes
    world.oracle.requested(by: device.number, now: world.now)
    guard link.isUp else {
      failToConnect(transfer, reply)
      return transfer
    }
    if let stranger = link.stranger ?? device.rememberedStranger(for: request), request.url.hasPrefix(Self.endpoint) {
      world.after(latency(link)) { if transfer.end() { reply(.answer(id, stranger.answer)) } }
      return transfer
    }
    guard !random.chance(link.loss) else {
      lose(transfer, reply)
      return transfer
    }
    let call = versions.request(
      Self.serverRequest(
        request.method, request.url, authorization: request.headers.first { $0.name == "Authorization" }?.value,
        body: request.body, from: device))
    if device.line.rates == nil {
      world.after(latency(link)) { [self] in arrive(call, transfer, device, reply) }
    } else {
      carry(transfer, device, reply) { [self] in arrive(call, transfer, device, reply) }
    }
    guard !request.isStream, random.chance(link.duplicates) else { return transfer }
    // A copy of a refresh that is later than the server's tolerance cannot be told from a thief's (RFC 9700 §4.14.2).
    let latest = isRefresh ? AuthenticationLimits().delayedCopyMilliseconds - 5000 : 120_000
    world.after(random.number(1...latest)) { [self] in
      guard device.link.isUp else { return }
      world.note("network", "a copy of \(request) from \(device.name) arrives")
      // Nor can a copy that arrives after the next refresh.
      if isRefresh, device.refreshes > refreshes { device.looksStolen = true }
      _ = server.respond(to: call)
    }
    return transfer
  }

  private func arrive(
    _ call: ServerRequest, _ transfer: Transfer, _ device: SimulatedDevice, _ reply: @escaping (SyncEvent) -> Void
  ) {
    guard device.link.isUp else { return lose(transfer, reply) }
    guard server.frozenUntil == nil else {
      return server.keepUnread { [self] in arrive(call, transfer, device, reply) }
    }
    guard let response = server.respond(to: call) else { return lose(transfer, reply) }
    switch response {
    case .eventStream(let account, _, let seconds): open(transfer, account, seconds, device, reply)
    case .full(let answer):
      guard !losesAnswer(device.link) else {
        world.note("network", "the answer to \(transfer.request) from \(device.name) is lost")
        return lose(transfer, reply)
      }
      var answer = answer
      answer.body = versions.answer(answer.body, to: call)
      bring(answer, transfer, device, reply)
    }
  }

  private func bring(
    _ answer: FullResponse, _ transfer: Transfer, _ device: SimulatedDevice, _ reply: @escaping (SyncEvent) -> Void
  ) {
    guard isCarried(transfer, device) else { return }
    let arrived = { [self] in
      guard device.link.isUp else { return lose(transfer, reply) }
      guard isCarried(transfer, device), transfer.end() else { return }
      transfer.connection?.isIdle = true
      reply(.answer(transfer.request.id, Self.answer(answer)))
    }
    guard device.line.rates != nil else { return world.after(latency(device.link), arrived) }
    device.line.send(
      answer.body.count + Self.headerBytes, .down, isWanted: { !transfer.isOver },
      progress: { [world] in transfer.heard(at: world.now) },
      sent: { [self] in world.after(latency(device.link), arrived) })
  }

  private func open(
    _ transfer: Transfer, _ account: AccountID, _ heartbeatSeconds: Int, _ device: SimulatedDevice,
    _ reply: @escaping (SyncEvent) -> Void
  ) {
    let request = transfer.request
    let quiet = transfer.quiet
    quiet.carries(at: world.now, limit: nil)
    let stream = EventStream(account: account, device: device, heartbeatSeconds: heartbeatSeconds) { [self] event in
      guard quiet.carries(at: world.now, limit: device.quietLimitMilliseconds) else { return }
      world.after(latency(device.link)) {
        guard device.link.isUp, self.isCarried(transfer, device) else { return }
        switch event {
        case .opened: reply(.streamOpened(request.id))
        case .said(let event): reply(.stream(request.id, event))
        case .ended: reply(.failure(request.id, .protocolError("closed")))
        }
      }
    }
    server.add(stream)
  }

  // MARK: On a line with a limited rate

  /// HTTP headers and framing around a body.
  private static let headerBytes = 400

  /// Whether the transfer's packets arrive now.
  private func isCarried(_ transfer: Transfer, _ device: SimulatedDevice) -> Bool {
    guard let connection = transfer.connection else { return true }
    return !connection.isDead && connection.route >= device.oldestRoute
  }

  /// Brings the request to the server over a kept connection or a new one. It may never arrive.
  private func carry(
    _ transfer: Transfer, _ device: SimulatedDevice, _ reply: @escaping (SyncEvent) -> Void,
    _ arrived: @escaping () -> Void
  ) {
    let request = transfer.request
    if request.totalTimeoutMilliseconds > 0 {
      fail(transfer, .timedOut, after: Int64(request.totalTimeoutMilliseconds), reply)
    }
    let upload = { [self] in
      transfer.connection?.isIdle = false
      device.line.send(
        request.body.count + Self.headerBytes, .up, isWanted: { !transfer.isOver },
        sent: { [self] in pass(transfer, device, arrived) })
    }
    if let kept = device.idleConnection(for: request) {
      transfer.connection = kept
      return upload()
    }
    let connection = Connection(route: device.route)
    transfer.connection = connection
    device.connections.append(connection)
    var isConnected = false
    world.after(Int64(request.connectTimeoutMilliseconds)) {
      guard !isConnected, transfer.end() else { return }
      reply(.failure(request.id, .timedOut))
    }
    // TCP, then TLS 1.3: a round trip each.
    roundTrip(transfer, device, Connection.packet, Connection.packet) { [self] in
      roundTrip(transfer, device, Connection.handshakeUp, Connection.handshakeDown) {
        isConnected = true
        upload()
      }
    }
  }

  private func roundTrip(
    _ transfer: Transfer, _ device: SimulatedDevice, _ up: Int, _ down: Int, _ back: @escaping () -> Void
  ) {
    device.line.send(up, .up, isWanted: { !transfer.isOver }) { [self] in
      pass(transfer, device) { [self] in
        device.line.send(down, .down, isWanted: { !transfer.isOver }) { [self] in pass(transfer, device, back) }
      }
    }
  }

  /// Waits for the link's delay. The peer is then heard, at either end: what arrives is acknowledged.
  private func pass(_ transfer: Transfer, _ device: SimulatedDevice, _ arrived: @escaping () -> Void) {
    world.after(latency(device.link)) { [self] in
      guard !transfer.isOver, device.link.isUp, isCarried(transfer, device) else { return }
      transfer.heard(at: world.now)
      arrived()
    }
  }

  /// A blocking call of a command. It takes no virtual time.
  func call(_ request: CurlRequest, from device: SimulatedDevice) throws(CurlError) -> CurlResponse {
    let link = device.link
    guard link.isUp else { throw CurlError(.cannotConnect, "no connection") }
    if let stranger = link.stranger, request.url.hasPrefix(Self.endpoint) {
      return Self.response(stranger.answer)
    }
    guard !random.chance(link.loss), server.frozenUntil == nil else { throw CurlError(.timedOut, "no answer") }
    let call = Self.serverRequest(
      request.method, request.url, authorization: request.headers.first { $0.name == "Authorization" }?.value,
      body: request.body, from: device)
    guard case .full(let answer)? = server.respond(to: call) else { throw CurlError(.cannotConnect, "nobody there") }
    guard !losesAnswer(device.link) else { throw CurlError(.timedOut, "the answer was lost") }
    return Self.response(Self.answer(answer))
  }

  // MARK: Failures

  private func failToConnect(_ transfer: Transfer, _ reply: @escaping (SyncEvent) -> Void) {
    switch random.fraction() {
    case ..<0.3: fail(transfer, .cannotResolve, after: random.number(1...200), reply)
    case ..<0.7: fail(transfer, .cannotConnect, after: random.number(1...500), reply)
    default: fail(transfer, .timedOut, after: Int64(transfer.request.connectTimeoutMilliseconds), reply)
    }
  }

  /// A timeout, or a reset on the way: the server's answer never arrives.
  private func lose(_ transfer: Transfer, _ reply: @escaping (SyncEvent) -> Void) {
    if transfer.request.isStream || random.chance(0.3) {
      fail(transfer, .protocolError("reset"), after: random.number(1...2000), reply)
    } else {
      fail(transfer, .timedOut, after: Int64(transfer.request.totalTimeoutMilliseconds), reply)
    }
  }

  private func fail(
    _ transfer: Transfer, _ failure: TransportFailure, after milliseconds: Int64,
    _ reply: @escaping (SyncEvent) -> Void
  ) {
    world.after(milliseconds) { if transfer.end() { reply(.failure(transfer.request.id, failure)) } }
  }

  /// An answer is as likely lost as a request, and some links lose more answers.
  private func losesAnswer(_ link: Link) -> Bool { random.chance(link.loss + link.lostAnswers) }

  private func latency(_ link: Link) -> Int64 { random.number(link.latency) }

  // MARK: Conversions between the two sides

  private static func serverRequest(
    _ method: String, _ url: String, authorization: String?, body: [UInt8], from device: SimulatedDevice
  ) -> ServerRequest {
    let path =
      [endpoint, secondEndpoint].first { url.hasPrefix($0) }.map { String(url.dropFirst($0.utf8.count)) } ?? url
    let parts = path.split(separator: "?", maxSplits: 1).map(String.init)
    return ServerRequest(
      method: method, path: parts[0], query: parts.count > 1 ? query(parts[1]) : [:], authorization: authorization,
      contentType: body.isEmpty ? nil : "application/json",
      body: body, remoteAddress: "192.0.2.\(device.number + 1)")
  }

  private static func query(_ text: String) -> [String: String] {
    text.split(separator: "&").reduce(into: [:]) { query, pair in
      let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
      query[parts[0]] = parts.count > 1 ? parts[1] : ""
    }
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

/// A device's open event stream, on the server's side.
final class EventStream {
  enum Event {
    case opened
    case said(StreamEvent)
    case ended
  }

  let account: AccountID
  let device: SimulatedDevice
  let heartbeatSeconds: Int
  let tell: (Event) -> Void

  init(account: AccountID, device: SimulatedDevice, heartbeatSeconds: Int, tell: @escaping (Event) -> Void) {
    self.account = account
    self.device = device
    self.heartbeatSeconds = heartbeatSeconds
    self.tell = tell
  }
}
