import Glibc
import Testing

@testable import ServerHTTP

/// Who counts as one client.
@Suite struct ConnectionLimitsTests {
  private let limits: ConnectionLimits

  init() {
    var settings = HTTPSettings()
    settings.maximumConnectionsPerAddress = 2
    limits = ConnectionLimits(settings)
  }

  private func peer(_ text: String) throws -> PeerAddress {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    try #require(inet_pton(AF_INET6, text, &address.sin6_addr) == 1)
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { PeerAddress($0) }
    }
  }

  @Test func `all addresses of a subscriber of IPv6 share the connections of one`() throws {
    for address in ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9"] {
      #expect(try limits.accepts(peer(address)))
      try limits.add(peer(address))
    }
    #expect(try !limits.accepts(peer("2001:db8:1:2::3")))
    #expect(try limits.accepts(peer("2001:db8:1:3::1")), "another subscriber")
    try limits.remove(peer("2001:db8:1:2::1"))
    #expect(try limits.accepts(peer("2001:db8:1:2::3")))
  }

  @Test func `an address of IPv4 counts alone, however it is written`() throws {
    for _ in 0..<2 { try limits.add(peer("::ffff:192.0.2.1")) }
    #expect(try !limits.accepts(peer("::ffff:192.0.2.1")))
    #expect(try limits.accepts(peer("::ffff:192.0.2.2")))
  }
}
