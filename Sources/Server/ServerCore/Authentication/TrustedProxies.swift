/// The proxies that are believed about where a request comes from, by `Forwarded` (RFC 7239).
package struct TrustedProxies: Sendable, Hashable {
  private var ranges: [AddressRange] = []
  /// Whoever reaches the Unix socket.
  private var includesUnix = false

  /// What a client of a Unix socket has in the place of an address.
  package static let unix = "unix"

  /// None.
  package init() {}

  /// From a list such as `127.0.0.1, ::1, 10.0.0.0/8, unix`; nil where a part is neither an address nor a range.
  package init?(_ text: String) {
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = part.filter { $0 != " " }
      if name == Self.unix {
        includesUnix = true
      } else {
        guard let range = AddressRange(name) else { return nil }
        ranges.append(range)
      }
    }
  }

  /// Whoever connects is believed.
  package var trustsEverybody: Bool { ranges.contains(where: \.isWhole) }

  package func trusts(_ address: String) -> Bool {
    address == Self.unix ? includesUnix : ranges.contains { $0.contains(address) }
  }

  /// Where the request comes from: the nearest address that is not a trusted proxy's own. What lies behind that is only claimed.
  ///
  /// - Parameter forwarded: all values of the header, in order, with commas between.
  package func client(of peer: String, forwarded: String?) -> String {
    guard trusts(peer), let forwarded else { return peer }
    var nearest = peer
    for address in ForwardedHeader.addressesFromNearest(forwarded) {
      // A proxy that does not say from whom it has the request is as far as anybody knows.
      guard let address else { return nearest }
      nearest = address
      guard trusts(address) else { return address }
    }
    return nearest
  }
}
