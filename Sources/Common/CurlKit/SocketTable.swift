import CCurl
import Glibc

/// Opens and closes a loop's sockets for libcurl. Opens one only if the request's target permits the address.
///
/// Owned by the loop's thread. It outlives the loop's handles, which call it until the last connection is closed.
final class SocketTable {
  private var open: Set<Int32> = []
  /// See `CurlLoop.Options`.
  private let isForSlowPaths: Bool
  private(set) var recentPeers: [PeerAddress] = []
  private static let mostPeers = 4

  init(isForSlowPaths: Bool) {
    self.isForSlowPaths = isForSlowPaths
  }

  /// Makes `easy` open and close its sockets here. `transfer` must live as long as `easy`.
  func attach(to easy: UnsafeMutableRawPointer, for transfer: Transfer) throws(CurlError) {
    try CurlLibrary.check(lifesignal_curl_set_open_socket_callback(easy, openSocket))
    let opener = Unmanaged.passUnretained(transfer).toOpaque()
    try CurlLibrary.check(lifesignal_curl_set_pointer(easy, CURLOPT_OPENSOCKETDATA, opener))
    try CurlLibrary.check(lifesignal_curl_set_close_socket_callback(easy, closeSocket))
    let closer = Unmanaged.passUnretained(self).toOpaque()
    try CurlLibrary.check(lifesignal_curl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, closer))
  }

  fileprivate func open(_ address: curl_sockaddr) -> Int32 {
    let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = lifesignal_curl_open_socket(address.family, type, address.`protocol`)
    guard descriptor >= 0 else { return descriptor }
    open.insert(descriptor)
    note(PeerAddress(address))
    if isForSlowPaths { lifesignal_curl_hurry_socket(descriptor) }
    return descriptor
  }

  private func note(_ peer: PeerAddress) {
    recentPeers.removeAll { $0 == peer }
    recentPeers.append(peer)
    if recentPeers.count > Self.mostPeers { recentPeers.removeFirst() }
  }

  /// The minimum over all connections that the transfer uses or tries.
  func millisecondsSinceHeard(of transfer: Transfer) -> Int64? {
    let port = lifesignal_curl_get_long(transfer.easy, CURLINFO_LOCAL_PORT)
    let used = open.filter { transfer.openedSockets.contains($0) || port > 0 && localPort($0) == port }
    return used.map { lifesignal_curl_silence_of_socket($0) }.filter { $0 >= 0 }.min()
  }

  fileprivate func close(_ descriptor: Int32) -> Int32 {
    open.remove(descriptor)
    return Glibc.close(descriptor)
  }

  /// Shuts down the connections that no transfer uses; libcurl then finds them dead and never reuses them.
  ///
  /// libcurl does not report the socket of a transfer in flight. Sockets opened for it are known; a reused one is found by its
  /// local port. Two sockets with the same port are both kept.
  func shutDownIdle(keeping transfers: some Collection<Transfer>) {
    let ports = Set(transfers.map { lifesignal_curl_get_long($0.easy, CURLINFO_LOCAL_PORT) })
    let opened = transfers.reduce(into: Set()) { $0.formUnion($1.openedSockets) }
    for descriptor in open.subtracting(opened) where !ports.contains(localPort(descriptor)) {
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  /// 0 if the socket has none.
  private func localPort(_ descriptor: Int32) -> Int {
    var address = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let result = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    // The port is at the same offset for IPv4.
    return result == 0 ? Int(UInt16(bigEndian: address.sin6_port)) : 0
  }
}

/// The socket address of an opened connection, in the form of bind(2).
package struct PeerAddress: Sendable, Hashable {
  package let family: Int32
  package let bytes: [UInt8]

  package init(family: Int32, bytes: [UInt8]) {
    self.family = family
    self.bytes = bytes
  }

  fileprivate init(_ address: curl_sockaddr) {
    self.init(
      family: address.family,
      bytes: withUnsafeBytes(of: address.addr) { Array($0.prefix(Int(address.addrlen))) })
  }
}

private let openSocket: curl_opensocket_callback = { context, _, address in
  guard let context, let address else { return CURL_SOCKET_BAD }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  guard let ip = peer(UnsafePointer(address)), transfer.target.addresses.permit(ip) else {
    transfer.hasRefusedAddress = true
    return CURL_SOCKET_BAD
  }
  let descriptor = transfer.sockets.open(address.pointee)
  transfer.openedSockets.insert(descriptor)
  return descriptor
}

private let closeSocket: curl_closesocket_callback = { context, descriptor in
  guard let context else { return Glibc.close(descriptor) }
  return Unmanaged<SocketTable>.fromOpaque(context).takeUnretainedValue().close(descriptor)
}

/// The address that libcurl is about to connect to; nil if it is neither IPv4 nor IPv6.
private func peer(_ address: UnsafePointer<curl_sockaddr>) -> IPAddress? {
  guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
  let bytes = UnsafeRawPointer(address) + offset
  let length = Int(address.pointee.addrlen)
  switch address.pointee.family {
  case AF_INET:
    guard length >= MemoryLayout<sockaddr_in>.size else { return nil }
    var ip = bytes.loadUnaligned(as: sockaddr_in.self).sin_addr
    return withUnsafeBytes(of: &ip) { IPAddress($0) }
  case AF_INET6:
    guard length >= MemoryLayout<sockaddr_in6>.size else { return nil }
    var ip = bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr
    return withUnsafeBytes(of: &ip) { IPAddress($0) }
  default: return nil
  }
}
