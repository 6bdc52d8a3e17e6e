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
    guard let path = Self.decoded(rest[..<mark], plusIsSpace: false) else { return nil }
    self.path = path
    query = [:]
    for part in rest[mark...].dropFirst().split(separator: "&") {
      let equals = part.firstIndex(of: "=") ?? part.endIndex
      guard let name = Self.decoded(part[..<equals], plusIsSpace: true),
        let value = Self.decoded(part[equals...].dropFirst(), plusIsSpace: true)
      else { return nil }
      query[name] = value
    }
  }

  private static func decoded(_ text: Substring, plusIsSpace: Bool) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = rest.popFirst().flatMap(hexadecimal), let low = rest.popFirst().flatMap(hexadecimal) else {
          return nil
        }
        bytes.append(high << 4 | low)
      case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
      default: bytes.append(byte)
      }
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
