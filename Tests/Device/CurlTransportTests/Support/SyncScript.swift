import Model
import SystemKit
import Wire

@testable import CurlTransport

/// A server that accepts everything and keeps event streams open.
final class SyncScript: Sendable {
  private struct State {
    var mutations = 0
    var bearers: [String] = []
    var streams: [Int32] = []
  }

  private let state = Lock(State())
  /// Signaled for each exchange, and for each opened stream.
  let exchanged: AsyncSignal
  let opened: AsyncSignal
  private let didExchange: AsyncSignal.Sender
  private let didOpen: AsyncSignal.Sender

  init() {
    (exchanged, didExchange) = AsyncSignal.make()
    (opened, didOpen) = AsyncSignal.make()
  }

  /// The credentials of each exchange.
  var bearers: [String] { state.withLock { $0.bearers } }

  /// The number of accepted mutations.
  var mutationCount: Int { state.withLock { $0.mutations } }

  func start() throws -> ScriptedServer {
    try ScriptedServer { [self] exchange in
      switch (exchange.request.method, exchange.request.path) {
      case ("POST", Route.sync): sync(exchange)
      case ("GET", Route.events): stream(exchange)
      default: exchange.answer("not here", status: "404 Not Found", type: "text/plain")
      }
    }
  }

  /// Announces a change on every stream.
  func tellChange() {
    for stream in state.withLock({ $0.streams }) {
      Exchange(request: .init(method: "", path: "", headers: [:], body: []), connection: stream)
        .send(StreamEvent.change.text)
    }
  }

  private func sync(_ exchange: Exchange) -> Bool {
    guard let request = try? SyncRequest(jsonBytes: exchange.request.body) else {
      return exchange.answer("what?", status: "400 Bad Request", type: "text/plain")
    }
    let now = SystemClock.now().wall
    let ids = request.mutations.map(\.id.description) + request.notifications.map(\.id.description)
    let bearer = exchange.request.headers["authorization"] ?? ""
    state.withLock {
      $0.mutations += request.mutations.count
      $0.bearers.append(bearer)
    }
    let response = SyncResponse(
      results: ids.map { ItemResult(id: $0, status: .applied, appliedAt: now) }, changes: [], cursor: "v1.e.1.t",
      hasMore: false, epoch: "e", serverTime: now)
    let isSent = exchange.answer(String(decoding: response.json(), as: UTF8.self))
    didExchange.send()
    return isSent
  }

  private func stream(_ exchange: Exchange) -> Bool {
    state.withLock { $0.streams.append(exchange.connection) }
    exchange.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n\(StreamEvent.heartbeat.text)")
    didOpen.send()
    exchange.waitForPeerToLeave()
    state.withLock { state in state.streams.removeAll { $0 == exchange.connection } }
    return false
  }
}
