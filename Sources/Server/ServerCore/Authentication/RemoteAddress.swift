import Glibc

/// The part of a peer's address that limits count.
package enum RemoteAddress {
  /// An IPv4 address, or the /64 prefix of an IPv6 address, as a subscriber has a whole /64. An IPv4-mapped IPv6 address
  /// (`::ffff:192.0.2.1`) counts as IPv4. Text that is not an address is returned as it is.
  package static func subject(_ address: String) -> String {
    let bare = address.prefix { $0 != "%" }
    var bytes = [UInt8](repeating: 0, count: 16)
    guard inet_pton(AF_INET6, String(bare), &bytes) == 1 else { return address }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    if isMapped { return bytes[12...].map { String($0) }.joined(separator: ".") }
    let groups = stride(from: 0, to: 8, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
    return groups.map { String($0, radix: 16) }.joined(separator: ":") + "/64"
  }
}
