import Glibc
import SystemKit

/// A bound, listening socket. The server that starts on it takes ownership.
package struct ListeningSocket: ~Copyable, Sendable {
  let socket: FileDescriptor
  /// With the real port.
  package let address: ListenAddress

  /// Throws `cannotListen` if the address is in use, not of this machine, or not allowed.
  package init(_ address: ListenAddress) throws(ServerError) {
    guard let socket = Self.socket(address.family) else { throw Self.failure(address) }
    let descriptor = socket.number
    switch address.family {
    case .unix: try UnixSocketFile.prepare(address)
    case .version6:
      Self.set(Int32(IPPROTO_IPV6), IPV6_V6ONLY, on: descriptor)
      fallthrough
    case .version4:
      Self.set(SOL_SOCKET, SO_REUSEADDR, on: descriptor)
      // Accepted sockets inherit this: an answer is sent at once.
      Self.set(Int32(IPPROTO_TCP), TCP_NODELAY, on: descriptor)
    }
    guard address.withSocketAddress({ bind(descriptor, $0, $1) }) == 0, UnixSocketFile.share(address),
      listen(descriptor, SOMAXCONN) == 0
    else {
      throw Self.failure(address)
    }
    self.socket = socket
    guard address.family != .unix else {
      self.address = address
      return
    }
    self.address = address.with(port: Self.port(of: descriptor))
  }

  static func socket(_ family: ListenAddress.Family) -> FileDescriptor? {
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let number =
      switch family {
      case .version4: AF_INET
      case .version6: AF_INET6
      case .unix: AF_UNIX
      }
    return FileDescriptor(owning: Glibc.socket(number, type, 0))
  }

  /// Hands the socket to libmicrohttpd by `start`, which returns nil if the daemon did not start.
  ///
  /// Some of the library's failures close the socket and some do not. So it is closed here only if the number still names this
  /// socket.
  consuming func handOver<Daemon>(to start: (Int32) -> Daemon?) -> Daemon? {
    let inode = Self.inode(of: socket.number)
    let number = socket.handOver()
    if let daemon = start(number) { return daemon }
    if inode != nil, Self.inode(of: number) == inode { _ = FileDescriptor(owning: number) }
    return nil
  }

  /// Identifies this socket on the machine; nil if the descriptor is closed.
  private static func inode(of descriptor: Int32) -> UInt? {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? UInt(status.st_ino) : nil
  }

  private static func failure(_ address: ListenAddress) -> ServerError {
    let reason =
      errno == EADDRINUSE ? "another program listens there already" : String(cString: strerror(errno))
    return ServerError(.cannotListen, "cannot listen on \(address): \(reason)")
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
    // The port is at the same offset for both families.
    return UInt16(bigEndian: address.sin6_port)
  }
}
