/// The address of a socket's peer, as the kernel uses it.
enum IPAddress: Hashable, Sendable {
  /// In network order.
  case v4(UInt32)
  /// The upper and the lower half, in network order.
  case v6(UInt64, UInt64)

  /// From 4 or 16 bytes in network order; nil for any other number.
  init?(_ bytes: some Collection<UInt8>) {
    func number(_ part: some Collection<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
    switch bytes.count {
    case 4: self = .v4(UInt32(number(bytes)))
    case 16: self = .v6(number(bytes.prefix(8)), number(bytes.dropFirst(8)))
    default: return nil
    }
  }

  var isLoopback: Bool {
    switch self {
    case .v4(let address): address >> 24 == 127
    case .v6(let upper, let lower): upper == 0 && lower == 1
    }
  }

  /// Whether this is a globally reachable unicast address: outside IANA's special-purpose ranges, and without an embedded IPv4
  /// address (mapped, NAT64, 6to4, Teredo), which could be a private one.
  var isPublic: Bool {
    switch self {
    case .v4(let address): !Self.specialV4.contains { $0.contains(address) }
    case .v6(let upper, _): upper >> 61 == 0b001 && !Self.specialV6.contains { $0.contains(upper) }
    }
  }

  private struct Range<Number: FixedWidthInteger & Sendable>: Sendable {
    let prefix: Number
    let bits: Int

    init(_ prefix: Number, _ bits: Int) {
      self.prefix = prefix
      self.bits = bits
    }

    func contains(_ number: Number) -> Bool { (number ^ prefix) >> (Number.bitWidth - bits) == 0 }
  }

  /// https://www.iana.org/assignments/iana-ipv4-special-registry, with multicast and what is reserved.
  private static let specialV4: [Range<UInt32>] = [
    Range(0x0000_0000, 8),  // 0.0.0.0/8, this network
    Range(0x0A00_0000, 8),  // 10.0.0.0/8, private
    Range(0x6440_0000, 10),  // 100.64.0.0/10, carrier-grade NAT
    Range(0x7F00_0000, 8),  // 127.0.0.0/8, loopback
    Range(0xA83F_8110, 32),  // 168.63.129.16, the host of an Azure machine
    Range(0xA9FE_0000, 16),  // 169.254.0.0/16, link-local and the clouds' metadata
    Range(0xAC10_0000, 12),  // 172.16.0.0/12, private
    Range(0xC000_0000, 24),  // 192.0.0.0/24, protocol assignments
    Range(0xC000_0200, 24),  // 192.0.2.0/24, documentation
    Range(0xC058_6300, 24),  // 192.88.99.0/24, 6to4 relays
    Range(0xC0A8_0000, 16),  // 192.168.0.0/16, private
    Range(0xC612_0000, 15),  // 198.18.0.0/15, benchmarks
    Range(0xC633_6400, 24),  // 198.51.100.0/24, documentation
    Range(0xCB00_7100, 24),  // 203.0.113.0/24, documentation
    Range(0xE000_0000, 4),  // 224.0.0.0/4, multicast
    Range(0xF000_0000, 4),  // 240.0.0.0/4, reserved, and broadcast
  ]

  /// What is special inside 2000::/3, by the upper half; https://www.iana.org/assignments/iana-ipv6-special-registry.
  private static let specialV6: [Range<UInt64>] = [
    Range(0x2001_0000_0000_0000, 23),  // protocol assignments, Teredo among them
    Range(0x2001_0DB8_0000_0000, 32),  // documentation
    Range(0x2002_0000_0000_0000, 16),  // 6to4
    Range(0x3FFF_0000_0000_0000, 20),  // documentation
  ]
}
