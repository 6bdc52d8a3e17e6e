import CurlKit
import Glibc
import Testing

@testable import CurlTransport

@Suite struct `The route to the server` {
  private static let server = peer([192, 0, 2, 1])
  private static let other = peer([192, 0, 2, 2])

  private static func peer(_ address: [UInt8]) -> PeerAddress {
    PeerAddress(family: AF_INET, bytes: [UInt8(AF_INET), 0, 0x20, 0xFB] + address + [UInt8](repeating: 0, count: 8))
  }

  /// Routes set by a test.
  private final class Routes {
    var found: [PeerAddress: RouteWatch.Route] = [:]

    func watch() -> RouteWatch { RouteWatch { self.found[$0] } }
  }

  private func route(_ interface: Int32, from source: UInt8 = 1, works: Bool = true) -> RouteWatch.Route {
    RouteWatch.Route(interface: interface, works: works, addresses: [10, 0, 0, source])
  }

  @Test func `that is unchanged does not count`() {
    let routes = Routes()
    routes.found[Self.server] = route(2)
    var watch = routes.watch()
    watch.note([Self.server])
    #expect((0..<3).map { _ in watch.isChange(for: [Self.server]) } == [false, false, false])
  }

  @Test func `with another interface, source or link counts once`() {
    let routes = Routes()
    routes.found[Self.server] = route(2)
    var watch = routes.watch()
    watch.note([Self.server])
    for next in [route(3), route(3, from: 9), route(3, from: 9, works: false), route(3, from: 9)] {
      routes.found[Self.server] = next
      #expect((0..<2).map { _ in watch.isChange(for: [Self.server]) } == [true, false])
    }
  }

  @Test func `that is unknown or was never tried makes every change count`() {
    let routes = Routes()
    var watch = routes.watch()
    watch.note([Self.server])
    let peers: [[PeerAddress]] = [[], [Self.server], [Self.server]]
    #expect(peers.map { watch.isChange(for: $0) } == [true, true, true])
  }

  @Test func `that changes for one of two peers counts`() {
    let routes = Routes()
    routes.found = [Self.server: route(2), Self.other: route(2)]
    var watch = routes.watch()
    watch.note([Self.server, Self.other])
    routes.found[Self.other] = route(4)
    let isChange = watch.isChange(for: [Self.server, Self.other])
    #expect(isChange)
  }

  @Test func `agrees with the kernel`() throws {
    let loopback = try #require(RouteWatch.Route(to: Self.peer([127, 0, 0, 1])))
    #expect(loopback.interface > 0 && loopback.works)
    #expect(loopback.addresses.prefix(4) == [127, 0, 0, 1])
    let six = PeerAddress(
      family: AF_INET6, bytes: [UInt8(AF_INET6)] + [UInt8](repeating: 0, count: 22) + [1, 0, 0, 0, 0])
    #expect(RouteWatch.Route(to: six) != nil)
    #expect(RouteWatch.Route(to: PeerAddress(family: AF_UNIX, bytes: [])) == nil)
  }
}
