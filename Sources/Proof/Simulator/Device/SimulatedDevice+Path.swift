import CurlKit
import CurlTransport
import Glibc
import SyncEngine

// The path from a device to the server, and its faults.

extension SimulatedDevice {
  /// The server's address as the shell sees it.
  static let serverAddress = PeerAddress(family: AF_INET, bytes: [2, 0, 1, 187, 192, 0, 2, 1])
  /// How long the system's resolver caches an answer.
  private static let resolverMilliseconds: Int64 = 5000

  func change(_ link: Link) {
    let before = self.link
    if let who = before.stranger, link.stranger == nil {
      stranger = (who, world.now + Self.resolverMilliseconds)
    }
    self.link = link
    disturbPress()
    world.note(name, "has now \(link)")
    if !link.isUp { server.dropStreams(of: self) }
    if link.isUp, !before.isUp { engine?.tell(.networkChanged) }
  }

  func changeLine(_ rates: Line.Rates?) {
    line.change(rates)
    disturbPress()
    guard let rates else { return }
    world.note(name, "has a line of \(rates.up) bit/s up and \(rates.down) bit/s down")
  }

  /// The stranger that answered until a moment ago is still asked over new connections.
  func rememberedStranger(for request: TransportRequest) -> Stranger? {
    guard let stranger, world.now < stranger.until, line.rates != nil, idleConnection(for: request) == nil else {
      return nil
    }
    return stranger.who
  }

  func idleConnection(for request: TransportRequest) -> Connection? {
    request.needsFreshConnection || request.isStream ? nil : connections.first(where: \.isIdle)
  }

  /// A middlebox forgets the open connections; neither end is told.
  func killConnections() {
    world.note(name, "its \(connections.count) connections are dead")
    for connection in connections { connection.isDead = true }
    timePressAnew()
    server.dropStreams(of: self)
  }

  /// The server is now reached over another address. Connections over the old one are lost, or continue while that address
  /// exists: then an alert in flight is no slower.
  func changeRoute(keepsOld: Bool) {
    route += 1
    world.note(name, "reaches the server over another address\(keepsOld ? " beside the old one" : "")")
    guard !keepsOld else { return }
    oldestRoute = route
    server.dropStreams(of: self)
    disturbPress()
  }

  /// An address came or went. The engine is only told if the route to the server changed, as in the worker.
  func hearNetworkChange() {
    guard let engine, engine.routes.isChange(for: [Self.serverAddress]) else { return }
    connections.removeAll(where: \.isIdle)
    engine.tellProgress()
    engine.tell(.networkChanged)
  }
}
