import Glibc

/// The header by which proxies tell from whom they have a request (RFC 7239): `for=192.0.2.1, for="[2001:db8::1]:4711";proto=https`.
enum ForwardedHeader {
  /// The address of `for` in each element, the farthest first; nil where an element has none that can be read. An IPv6 address may lack
  /// the brackets, as simple configurations of proxies write it.
  static func addresses(_ header: String) -> [String?] {
    split(header, at: ",").map { element in
      let values = split(element, at: ";").compactMap { pair -> String? in
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, trimmed(parts[0]).lowercased() == "for" else { return nil }
        return unquoted(trimmed(parts[1]))
      }
      return values.count == 1 ? address(of: values[0]) : nil
    }
  }

  /// Parts between separators that are not in quotes.
  private static func split(_ text: some StringProtocol, at separator: Character) -> [String] {
    var parts = [""]
    var isQuoted = false
    var isEscaped = false
    for character in text {
      if character == separator, !isQuoted {
        parts.append("")
        continue
      }
      parts[parts.count - 1].append(character)
      if isEscaped {
        isEscaped = false
      } else if character == "\"" {
        isQuoted.toggle()
      } else if character == "\\" {
        isEscaped = isQuoted
      }
    }
    return parts
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
    let rest = text.drop(while: isSpace)
    return String(rest.reversed().drop(while: isSpace).reversed())
  }

  private static func unquoted(_ value: String) -> String {
    guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else { return value }
    return String(value.dropFirst().dropLast())
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
