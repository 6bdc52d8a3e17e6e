/// A way to reach a responder, named by a URL.
///
/// | form | reaches |
/// |---|---|
/// | `https://…` | a webhook, signed as Standard Webhooks does |
/// | `ntfy://host/topic` | a topic of an ntfy server, over HTTPS |
/// | `mailto:…` | a mailbox |
/// | `sms:+…` | a telephone, by a text message |
/// | `tel:+…` | a telephone, by a call in which a text is read aloud |
///
/// `http://…` and `ntfy+http://host/topic` are the unencrypted forms of the first two, for development. The server refuses
/// them unless it allows private channels.
public struct Channel: Hashable, Sendable {
  /// What a channel reaches.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// A webhook, by HTTP.
    case webhook
    /// A topic of an ntfy server.
    case ntfy
    /// A mailbox.
    case mail
    /// A telephone, by a text message.
    case sms
    /// A telephone, by a call in which a text is read aloud.
    case voice
    /// The inbox of a responder who uses LifeSignal: used in receipts. No contact names it, the server finds it by their number.
    case app
    /// No channel: used in the receipt of a contact without one.
    case noChannel = "none"
    /// A kind that this version does not know. Its URL is kept and passed on unchanged.
    case other
  }

  /// What it reaches.
  public let kind: Kind
  /// The URL as it was given.
  public let url: String

  static let maximumBytes = 2000

  /// Throws `InvalidInput` for any other scheme, a missing topic, mailbox or number, a missing host or one to which no request can be
  /// made, a port over 65,535, spaces, or over 2,000 bytes.
  public init(_ url: String) throws(InvalidInput) {
    guard url.utf8.count <= Self.maximumBytes, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw InvalidInput(.channel, "a channel is a URL of at most 2,000 ASCII characters without spaces")
    }
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw Self.unknownForm }
    let rest = url[url.utf8.index(after: colon)...]
    let scheme = url[..<colon].lowercased()
    switch scheme {
    case "https", "http":
      guard Self.hostAndPath(rest) != nil else { throw Self.unknownForm }
      kind = .webhook
    case "ntfy", "ntfy+http":
      guard let (_, path) = Self.hostAndPath(rest), Self.isTopic(path.dropFirst()) else { throw Self.unknownForm }
      kind = .ntfy
    case "mailto":
      guard Self.isMailbox(rest) else { throw Self.unknownForm }
      kind = .mail
    case "sms", "tel":
      guard rest.utf8.first == UInt8(ascii: "+"), (7...15).contains(rest.utf8.count - 1),
        rest.utf8.dropFirst().allSatisfy(\.isASCIIDigit)
      else { throw Self.unknownForm }
      kind = scheme == "tel" ? .voice : .sms
    default: throw Self.unknownForm
    }
    self.url = url
  }

  /// The inbox of a responder who has an account.
  package static let inbox = Channel(kind: .app, url: "lifesignal:inbox")

  private init(kind: Kind, url: String) {
    self.kind = kind
    self.url = url
  }

  /// A channel received from a server, perhaps a newer one. An unknown form gets the kind `other`. Throws only for text that
  /// cannot be a URL: without a scheme, with spaces, or over 2,000 bytes.
  package init(foreign url: String) throws(InvalidInput) {
    if let known = try? Channel(url) {  // any error: not a known form
      self = known
      return
    }
    if url == Self.inbox.url {
      self = .inbox
      return
    }
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), colon > url.startIndex,
      url.utf8.count <= Self.maximumBytes,
      url.unicodeScalars.allSatisfy({ !$0.properties.isWhitespace && $0.properties.generalCategory != .control })
    else { throw Self.unknownForm }
    kind = .other
    self.url = url
  }

  /// A channel received from a device, perhaps a newer one. An unknown scheme gets the kind `other`, and so does an invalid URL of a known
  /// scheme, which an older device or server may have kept: `isMalformed` tells. Throws for text without a scheme.
  package init(received url: String) throws(InvalidInput) {
    do throws(InvalidInput) {
      self = try Channel(url)
    } catch {
      guard Self.scheme(of: url) != nil else { throw error }
      self = try Channel(foreign: url)
    }
  }

  /// Whether it was read by `init(foreign:)` or `init(received:)`, and is none of a known scheme: nothing can be sent to it.
  package var isMalformed: Bool { kind == .other && Self.scheme(of: url).map(Self.schemes.contains) == true }

  private static let schemes: Set<String> = ["https", "http", "ntfy", "ntfy+http", "mailto", "sms", "tel"]

  /// The scheme in lower case; nil if `url` does not begin with one (RFC 3986 §3.1).
  private static func scheme(of url: String) -> String? {
    guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")), colon < url.utf8.index(before: url.utf8.endIndex),
      let first = url.utf8.first, isLetter(first),
      url.utf8[..<colon].allSatisfy({ isLetter($0) || $0.isASCIIDigit || [0x2B, 0x2D, 0x2E].contains($0) })
    else { return nil }
    return url[..<colon].lowercased()
  }

  /// The host and the port, if given, in lower case; nil for a mailbox or a telephone.
  package var host: String? {
    guard let start = url.utf8.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    return Self.hostAndPath(url[start...])?.host.lowercased()
  }

  /// Whether the channel uses unencrypted HTTP: for development, and only if the server allows private channels.
  package var isPlain: Bool {
    url.lowercased().hasPrefix("http:") || url.lowercased().hasPrefix("ntfy+http:")
  }

  private static let unknownForm = InvalidInput(
    .channel, "a channel is https://…, ntfy://host/topic, mailto:…, sms:… or tel:…"
  )

  /// The parts of `//host[:port]/path`; nil without a host. A user name in a URL is refused, because it would be a secret.
  private static func hostAndPath(_ text: Substring) -> (host: Substring, path: Substring)? {
    let bytes = text.utf8
    guard bytes.starts(with: "//".utf8) else { return nil }
    let rest = bytes.dropFirst(2)
    let end = rest.firstIndex(where: endsHost) ?? rest.endIndex
    return isHost(rest[..<end]) ? (text[rest.startIndex..<end], text[end...]) : nil
  }

  /// Whether it is `host`, `host:port` or the same with an IPv6 address in brackets, as the parser of libcurl takes them.
  private static func isHost(_ text: Substring.UTF8View) -> Bool {
    if text.first == UInt8(ascii: "[") {
      guard let end = text.firstIndex(of: UInt8(ascii: "]")) else { return false }
      let address = text[..<end].dropFirst()
      return address.contains(UInt8(ascii: ":")) && address.allSatisfy(isOfAddress)
        && isPort(text[text.index(after: end)...])
    }
    let end = text.firstIndex(of: UInt8(ascii: ":")) ?? text.endIndex
    let name = text[..<end]
    return !name.isEmpty && name.first != UInt8(ascii: ".") && name.allSatisfy(isOfName) && isPort(text[end...])
  }

  /// Whether it is `:port`, a colon alone, or nothing.
  private static func isPort(_ text: Substring.UTF8View) -> Bool {
    guard let colon = text.first else { return true }
    let digits = text.dropFirst()
    guard colon == UInt8(ascii: ":"), digits.allSatisfy(\.isASCIIDigit) else { return false }
    return digits.isEmpty || Int(Substring(digits)).map { (1...65_535).contains($0) } == true
  }

  private static func isTopic(_ text: Substring) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.isASCIIDigit || isLetter($0) || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") }
  }

  private static func isMailbox(_ text: Substring) -> Bool {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    return parts.count == 2 && !parts[0].isEmpty && parts[1].contains(".") && !text.contains("?")
  }
}

extension [Channel] {
  /// Reads URLs, one a line, as stores keep them. Throws where `Channel(foreign:)` does.
  package init(lines: String) throws(InvalidInput) {
    self = try lines.utf8.split(separator: UInt8(ascii: "\n")).map { line throws(InvalidInput) in
      try Channel(foreign: String(Substring(line)))
    }
  }
}

private func endsHost(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "/") || byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#")
}

private func isOfName(_ byte: UInt8) -> Bool {
  isLetter(byte) || byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    || byte == UInt8(ascii: "_")
}

private func isOfAddress(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20) || byte.isASCIIDigit || byte == UInt8(ascii: ":")
    || byte == UInt8(ascii: ".")
}

private func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

extension Channel: Codable {
  public init(from decoder: any Decoder) throws {
    try self.init(decoder.singleValueContainer().decode(String.self))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(url)
  }
}
