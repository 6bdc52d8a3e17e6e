package import Model

extension Configuration {
  /// The servers that are set, the first one first.
  package var endpoints: [String] { [endpoint, secondEndpoint].compactMap(\.self) }

  /// Returns the URL without a trailing slash if it is `https://host[:port][/path]`, or the same with `http://` and a
  /// loopback host. Throws `InvalidInput` for anything else, including user names, queries and fragments.
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
        throw InvalidInput(.endpoint, "an endpoint must be https://…; http:// works only for this machine")
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

  /// The host in `host[:port]`, in lowercase; nil if the host or the port is invalid.
  private static func host(of authority: Substring) -> String? {
    var host = authority
    if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
      let digits = authority[authority.index(after: colon)...]
      // Swift also accepts a sign and any number of leading zeros; libcurl does not.
      guard digits.utf8.count <= 5, digits.utf8.allSatisfy(\.isASCIIDigit), let port = UInt16(digits),
        port > 0
      else { return nil }
      host = authority[..<colon]
    }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 2
    guard !host.isEmpty, isBracketed || !host.contains(where: { "[]:%".contains($0) }) else { return nil }
    return host.lowercased()
  }

  /// Whether the host is `localhost`, in 127.0.0.0/8, or `::1`. It resolves no names.
  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0).map { String($0) } == String($0) }
  }
}
