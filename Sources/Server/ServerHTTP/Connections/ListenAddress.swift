import Glibc

/// Where the server listens: a numeric address and a port, `127.0.0.1:8080` or `[::1]:8080`, or a Unix socket, `unix:/run/server.sock`.
///
/// `localhost` means 127.0.0.1. Port 0 asks the system for a free port.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
  package enum Family: Sendable, Hashable { case version4, version6, unix }

  package let family: Family
  /// Without brackets; of a Unix socket the absolute path.
  package let host: String
  /// 0 of a Unix socket.
  package let port: UInt16

  package init(_ text: String) throws(ServerError) {
    let invalid = ServerError(
      .invalidAddress, "an address to listen on is like 127.0.0.1:8080, [::1]:8080 or unix:/run/lifesignal.sock")
    if text.hasPrefix(Self.unixPrefix) {
      let path = text.dropFirst(Self.unixPrefix.count)
      guard path.hasPrefix("/") else {
        throw ServerError(.invalidAddress, "the path after unix: must begin with /")
      }
      guard path.utf8.count <= Self.longestPath else {
        throw ServerError(
          .invalidAddress,
          "the path of a Unix socket has at most \(Self.longestPath) bytes; this one has \(path.utf8.count)")
      }
      self.init(family: .unix, host: String(path), port: 0)
      return
    }
    guard let colon = text.lastIndex(of: ":") else { throw invalid }
    let digits = text[text.index(after: colon)...]
    guard (1...5).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits)
    else { throw invalid }
    let host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      try self.init(.version6, String(host.dropFirst().dropLast()), port, orThrow: invalid)
    } else {
      try self.init(.version4, host == "localhost" ? "127.0.0.1" : String(host), port, orThrow: invalid)
    }
  }

  private init(_ family: Family, _ host: String, _ port: UInt16, orThrow invalid: ServerError) throws(ServerError) {
    var parsed = in6_addr()
    guard inet_pton(family == .version4 ? AF_INET : AF_INET6, host, &parsed) == 1 else { throw invalid }
    self.family = family
    self.host = host
    self.port = port
  }

  /// The same host with the port that the system gave.
  func with(port: UInt16) -> Self { Self(family: family, host: host, port: port) }

  private init(family: Family, host: String, port: UInt16) {
    self.family = family
    self.host = host
    self.port = port
  }

  package var description: String {
    switch family {
    case .version4: "\(host):\(port)"
    case .version6: "[\(host)]:\(port)"
    case .unix: Self.unixPrefix + host
    }
  }

  /// Nobody on another machine can reach it.
  package var isLocal: Bool {
    switch family {
    case .version4: host.hasPrefix("127.")
    case .version6: host == "::1"
    case .unix: true
    }
  }

  private static let unixPrefix = "unix:"
  /// In bytes, without the zero at the end (unix(7)).
  private static let longestPath = 107

  /// Calls `body` with the address as a `sockaddr`.
  func withSocketAddress<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    switch family {
    case .version4:
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      inet_pton(AF_INET, host, &address.sin_addr)
      return withSocketAddress(of: &address, body)
    case .version6:
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      inet_pton(AF_INET6, host, &address.sin6_addr)
      return withSocketAddress(of: &address, body)
    case .unix:
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: host.utf8.prefix(Self.longestPath)) }
      return withSocketAddress(of: &address, body)
    }
  }

  private func withSocketAddress<Address, Result>(
    of address: inout Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
    }
  }
}
