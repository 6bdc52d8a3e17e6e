import Wire

/// The parsed target of a request line (RFC 9112 §3.2: origin form, or absolute form as a proxy sends it).
struct RequestTarget: Sendable, Hashable {
  /// Percent-decoded.
  var path: String
  /// Percent-decoded; of several values of one name the last counts.
  var query: [String: String]

  /// Nil if it does not begin with a slash, has an invalid escape, or does not decode to UTF-8.
  init?(_ text: String) {
    var rest = text[...]
    for scheme in ["http://", "https://"] where rest.lowercased().hasPrefix(scheme) {
      rest = rest.dropFirst(scheme.count).drop { $0 != "/" && $0 != "?" }
    }
    guard rest.first == "/" else { return nil }
    if let mark = rest.firstIndex(of: "#") { rest = rest[..<mark] }
    let mark = rest.firstIndex(of: "?") ?? rest.endIndex
    guard let path = URLEncoding.decoded(rest[..<mark], plusIsSpace: false),
      let query = URLEncoding.fields(rest[mark...].dropFirst())
    else { return nil }
    self.path = path
    self.query = query
  }
}
