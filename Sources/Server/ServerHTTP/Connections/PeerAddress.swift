import Glibc
import ServerCore

/// A client's address without its port.
struct PeerAddress: Sendable, Hashable {
  /// As text; an IPv4-mapped IPv6 address is written as IPv4.
  let text: String
  let isLoopback: Bool
  /// Who probably has the address: a subscriber has a whole /64 of IPv6.
  let subscriber: String

  init(_ address: UnsafePointer<sockaddr>?) {
    guard let address else {
      self.init(text: "unknown", isLoopback: false)
      return
    }
    switch Int32(address.pointee.sa_family) {
    case AF_INET:
      let text = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
        withUnsafePointer(to: pointer.pointee.sin_addr) { Self.text(AF_INET, $0) }
      }
      self.init(text: text, isLoopback: text.hasPrefix("127."))
    case AF_INET6:
      let text = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
        withUnsafePointer(to: pointer.pointee.sin6_addr) { Self.text(AF_INET6, $0) }
      }
      let plain = text.hasPrefix("::ffff:") ? String(text.dropFirst(7)) : text
      self.init(text: plain, isLoopback: plain == "::1" || plain.hasPrefix("127."))
    case AF_UNIX: self.init(text: TrustedProxies.unix, isLoopback: true)
    default: self.init(text: "unknown", isLoopback: false)
    }
  }

  private init(text: String, isLoopback: Bool) {
    self.text = text
    self.isLoopback = isLoopback
    subscriber = RemoteAddress.subject(text)
  }

  private static func text(_ family: Int32, _ address: UnsafeRawPointer) -> String {
    var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard inet_ntop(family, address, &buffer, socklen_t(buffer.count)) != nil else { return "unknown" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
