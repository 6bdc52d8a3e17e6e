import Glibc

/// The header by which proxies tell from whom they have a request (RFC 7239): `for=192.0.2.1, for="[2001:db8::1]:4711";proto=https`.
enum ForwardedHeader {
  /// The address of `for` in each element, the nearest first; nil where an element has none that can be read. An IPv6 address may lack
  /// the brackets, as simple configurations of proxies write it.
  ///
  /// Elements are divided at every comma, whatever quotes are around: what a client sent stands before what the proxies added, and a quote
  /// that it left open must not swallow that. Nothing that a proxy writes about an address has a comma.
  static func addressesFromNearest(_ header: String) -> [String?] {
    header.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).reversed().map(
      address(inElement:))
  }

  private static func address(inElement element: Substring.UTF8View) -> String? {
    var found: [String] = []
    for pair in element.split(separator: UInt8(ascii: ";")) {
      let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
      guard parts.count == 2, trimmed(parts[0]).lowercased() == "for" else { continue }
      found.append(unquoted(trimmed(parts[1])))
    }
    return found.count == 1 ? address(of: found[0]) : nil
  }

  private static func trimmed(_ text: Substring.UTF8View) -> String {
    let isSpace: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    let bytes = Array(text.drop(while: isSpace))
    return String(decoding: bytes.reversed().drop(while: isSpace).reversed(), as: UTF8.self)
  }

  private static func unquoted(_ value: String) -> String {
    guard value.utf8.count >= 2, value.utf8.first == UInt8(ascii: "\""), value.utf8.last == UInt8(ascii: "\"") else {
      return value
    }
    return String(decoding: value.utf8.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Without its port.
  private static func address(of node: String) -> String? {
    if node.hasPrefix("[") {
      guard let end = node.firstIndex(of: "]") else { return nil }
      return valid(String(node[..<end].dropFirst()), AF_INET6)
    }
    let colons = node.count { $0 == ":" }
    return colons > 1 ? valid(node, AF_INET6) : valid(String(node.prefix { $0 != ":" }), AF_INET)
  }

  private static func valid(_ address: String, _ family: Int32) -> String? {
    var bytes = in6_addr()
    return inet_pton(family, address, &bytes) == 1 ? address : nil
  }
}
