import Secrets

/// A secret that a device shows: 32 random bytes, and a prefix that tells a person or a secret scanner what it is.
struct BearerToken: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case access = "lsa_"
    case refresh = "lsr_"
    case alertKey = "lsk_"
  }

  static let byteCount = 32
  let kind: Kind
  let bytes: [UInt8]

  init(_ kind: Kind, bytes: [UInt8]) {
    self.kind = kind
    self.bytes = bytes
  }

  /// Reads the text that `text` gives; nil for anything else.
  init?(_ text: String) {
    guard let kind = Kind.allCases.first(where: { text.hasPrefix($0.rawValue) }),
      let bytes = Base64URL.decode(String(text.dropFirst(kind.rawValue.count))), bytes.count == Self.byteCount
    else { return nil }
    self.init(kind, bytes: bytes)
  }

  /// As it goes over the wire.
  var text: String { kind.rawValue + Base64URL.encode(bytes) }
}

/// What the server's secret is used for here. Each use has a key of its own, so that a hash made for one proves nothing
/// in another.
enum AuthenticationKey: String, Sendable {
  case oneTimeCode = "one-time code"
  case accessToken = "access token"
  case refreshToken = "refresh token"
  case alertKey = "alert key"
  case accessSuccessor = "successor of an access token"
  case refreshSuccessor = "successor of a refresh token"
  case rateCount = "rate count"
}

extension ServerKeys {
  /// The keyed hash of `message`, 32 bytes.
  func hash(_ message: [UInt8], for use: AuthenticationKey) -> [UInt8] {
    KeyedHash.of(message, key: secret.derived(for: "authentication: \(use.rawValue)"))
  }

  /// What the store keeps of a token.
  func hash(of token: BearerToken) -> [UInt8] {
    switch token.kind {
    case .access: hash(token.bytes, for: .accessToken)
    case .refresh: hash(token.bytes, for: .refreshToken)
    case .alertKey: hash(token.bytes, for: .alertKey)
    }
  }
}
