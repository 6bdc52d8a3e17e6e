import CLinux
package import CurlKit
import Glibc
import PlantedBugs

/// Tells a change of the network that concerns the way to the server from one that does not: an address of another
/// interface, a container's link, a second network that is not used.
package struct RouteWatch {
  /// How an address is reached: interface, source address, next hop, and whether the link works.
  package struct Route: Hashable {
    var interface: Int32
    var works: Bool
    var addresses: [UInt8]

    package init(interface: Int32, works: Bool, addresses: [UInt8]) {
      self.interface = interface
      self.works = works
      self.addresses = addresses
    }
  }

  private var routes: [PeerAddress: Route] = [:]
  private let lookUp: (PeerAddress) -> Route?

  /// - Parameter lookUp: the route to an address; nil: it cannot be known.
  package init(lookUp: @escaping (PeerAddress) -> Route? = { Route(to: $0) }) {
    self.lookUp = lookUp
  }

  /// Notes how the peers are reached now, as far as that is not known yet. To be called before the change is waited for.
  package mutating func note(_ peers: [PeerAddress]) {
    for peer in peers where routes[peer] == nil { routes[peer] = lookUp(peer) }
    if routes.count > peers.count { routes = routes.filter { peers.contains($0.key) } }
  }

  /// Whether any of the peers is reached in another way than before. True where nothing is known to compare with: no
  /// connection was ever tried, or the kernel does not tell.
  package mutating func isChange(for peers: [PeerAddress]) -> Bool {
    guard !peers.isEmpty, !PlantedBug.networkEventCancelsEmergency.isPlanted else { return true }
    var isChange = false
    for peer in peers {
      let now = lookUp(peer)
      if now == nil || routes[peer] != now { isChange = true }
      routes[peer] = now
    }
    return isChange
  }
}

extension RouteWatch.Route {
  /// nil for what is neither IPv4 nor IPv6, and where the kernel does not tell.
  init?(to peer: PeerAddress) {
    // `sockaddr_in` and `sockaddr_in6`: family 2 bytes, port 2, in the second flow 4, then the address.
    let place = peer.family == AF_INET ? 4..<8 : 8..<24
    guard peer.family == AF_INET || peer.family == AF_INET6, peer.bytes.count >= place.upperBound else { return nil }
    var route = lifesignal_route()
    guard lifesignal_route_to(peer.family, Array(peer.bytes[place]), &route) == 0 else { return nil }
    self.init(
      interface: route.interface, works: route.works != 0,
      addresses: withUnsafeBytes(of: route.source, Array.init) + withUnsafeBytes(of: route.gateway, Array.init))
  }
}
