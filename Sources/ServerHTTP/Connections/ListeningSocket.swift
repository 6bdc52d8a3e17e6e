import Glibc

/// A socket that is bound and listens. The server that is started on it closes it.
package struct ListeningSocket: Sendable {
  let descriptor: Int32
  /// With the real port.
  package let address: ListenAddress

  /// Throws `cannotListen` where the address is in use, not of this machine, or not allowed.
  package init(_ address: ListenAddress) throws(ServerError) {
    let family = address.family == .version4 ? AF_INET : AF_INET6
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let descriptor = socket(family, type, 0)
    guard descriptor >= 0 else { throw Self.failure(address) }
    Self.set(SOL_SOCKET, SO_REUSEADDR, on: descriptor)
    // Accepted sockets inherit it: an answer leaves at once.
    Self.set(Int32(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
    if address.family == .version6 { Self.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, on: descriptor) }
    guard address.withSocketAddress({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, SOMAXCONN) == 0 else {
      let failure = Self.failure(address)
      close(descriptor)
      throw failure
    }
    self.descriptor = descriptor
    self.address = address.with(port: Self.port(of: descriptor))
  }

  private static func failure(_ address: ListenAddress) -> ServerError {
    ServerError(.cannotListen, "cannot listen on \(address): \(String(cString: strerror(errno)))")
  }

  private static func set(_ level: Int32, _ option: Int32, on descriptor: Int32) {
    var yes: Int32 = 1
    setsockopt(descriptor, level, option, &yes, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &length) }
    }
    // The port stands at the same place for both families.
    return UInt16(bigEndian: address.sin6_port)
  }
}
