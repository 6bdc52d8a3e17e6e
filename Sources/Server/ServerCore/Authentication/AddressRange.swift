import Glibc

/// Addresses with a common beginning, as `10.0.0.0/8` or `2001:db8::/32`, or a single one.
struct AddressRange: Sendable, Hashable {
  private let prefix: [UInt8]
  private let bitCount: Int

  /// Nil where the text is none.
  init?(_ text: some StringProtocol) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let bytes = Self.bytes(String(parts[0])) else { return nil }
    prefix = bytes
    guard parts.count == 2 else {
      bitCount = bytes.count * 8
      return
    }
    guard parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(parts[1]), count <= bytes.count * 8
    else { return nil }
    bitCount = count
  }

  /// All addresses of its kind.
  var isWhole: Bool { bitCount == 0 }

  func contains(_ address: String) -> Bool {
    guard let bytes = Self.bytes(address), bytes.count == prefix.count else { return false }
    let whole = bitCount / 8
    guard bytes[..<whole].elementsEqual(prefix[..<whole]) else { return false }
    let rest = bitCount % 8
    return rest == 0 || (bytes[whole] ^ prefix[whole]) >> (8 - rest) == 0
  }

  /// Four bytes, or sixteen; nil if it is no address. An IPv4-mapped address has four.
  private static func bytes(_ address: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, address, &bytes) == 1 { return Array(bytes[..<4]) }
    guard inet_pton(AF_INET6, address, &bytes) == 1 else { return nil }
    let isMapped = bytes[..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    return isMapped ? Array(bytes[12...]) : bytes
  }
}
