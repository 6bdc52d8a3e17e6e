import Glibc

/// The part of a peer's address that limits count.
package enum RemoteAddress {
  /// An IPv4 address, or the /64 prefix of an IPv6 address, as a subscriber has a whole /64. An IPv4-mapped IPv6 address
  /// (`::ffff:192.0.2.1`) counts as IPv4. Text that is not an address is returned as it is.
  package static func subject(_ address: String) -> String {
    switch bytes(of: address) {
    case let bytes where bytes.count == 4: dotted(bytes)
    case let bytes where bytes.count == 16: groups(bytes.prefix(8)) + "/64"
    default: address
    }
  }

  /// The /24 prefix of an IPv4 address, or the /48 prefix of an IPv6 address: what one operator of machines often has. Text that is not an
  /// address is returned as it is.
  package static func network(_ address: String) -> String {
    switch bytes(of: address) {
    case let bytes where bytes.count == 4: dotted(bytes.prefix(3)) + ".0/24"
    case let bytes where bytes.count == 16: groups(bytes.prefix(6)) + "/48"
    default: address
    }
  }

  /// Four of IPv4, 16 of IPv6, none of anything else.
  private static func bytes(of address: String) -> ArraySlice<UInt8> {
    let bare = String(address.prefix { $0 != "%" })
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, bare, &bytes) == 1 { return bytes[..<4] }
    guard inet_pton(AF_INET6, bare, &bytes) == 1 else { return [] }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    return isMapped ? bytes[12...] : bytes[...]
  }

  private static func dotted(_ bytes: ArraySlice<UInt8>) -> String { bytes.map { String($0) }.joined(separator: ".") }

  private static func groups(_ bytes: ArraySlice<UInt8>) -> String {
    stride(from: bytes.startIndex, to: bytes.endIndex, by: 2)
      .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
  }
}
