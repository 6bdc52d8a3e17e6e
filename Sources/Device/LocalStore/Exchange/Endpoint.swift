package import Model

extension Configuration {
  /// `https://host[:port][/path]`, or `http://` to loopback only, without a slash at the end. Throws `InvalidInput` for
  /// anything else: user names, queries and fragments too.
  package static func validatedEndpoint(_ text: String) throws(InvalidInput) -> String {
    guard text.utf8.count <= 2000, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !isForbidden($0) }),
      let separator = text.firstRange(of: "://")
    else { throw malformed }
    let scheme = text[..<separator.lowerBound].lowercased()
    let rest = text[separator.upperBound...]
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    guard let host = host(of: rest[..<slash]) else { throw malformed }
    var path = rest[slash...]
    while path.last == "/" { path.removeLast() }
    switch scheme {
    case "https": break
    case "http":
      guard isLoopback(host) else {
        throw InvalidInput(.endpoint, "an endpoint must be https://…; http:// is only for this machine itself")
      }
    default: throw malformed
    }
    return "\(scheme)://\(rest[..<slash].lowercased())\(path)"
  }

  private static let malformed = InvalidInput(
    .endpoint, "an endpoint must be a URL such as https://alerts.example.org"
  )

  private static func isForbidden(_ byte: UInt8) -> Bool {
    "@?#\\\"<>^`{|}".utf8.contains(byte)
  }

  /// The host in `host[:port]`, lower-case, or nil where either is not one.
  private static func host(of authority: Substring) -> String? {
    var host = authority
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      let digits = authority[authority.index(after: colon)...]
      // Swift would read a sign and any number of zeros, too; libcurl does not.
      guard digits.utf8.count <= 5, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits),
        port > 0
      else { return nil }
      host = authority[..<colon]
    }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
    guard !host.isEmpty, isBracketed || !host.contains(where: { "[]:%".contains($0) }) else { return nil }
    return host.lowercased()
  }

  /// `localhost`, 127.0.0.0/8 and `::1`, by name alone.
  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0).map { String($0) } == String($0) }
  }
}
