import Secrets

/// A secret that authenticates a device: 32 random bytes, with a prefix by which people and secret scanners recognize it.
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

  /// Parses `text`; nil for anything else.
  init?(_ text: String) {
    guard let kind = Kind.allCases.first(where: { text.utf8.starts(with: $0.rawValue.utf8) }),
      let bytes = Base64URL.decode(String(Substring(text.utf8.dropFirst(kind.rawValue.utf8.count)))),
      bytes.count == Self.byteCount
    else { return nil }
    self.init(kind, bytes: bytes)
  }

  /// As it goes over the wire.
  var text: String { kind.rawValue + Base64URL.encode(bytes) }
}

/// The uses of the server's secret. Each has a derived key of its own, so that a hash made for one is worthless in another.
enum AuthenticationKey: String, Sendable {
  case oneTimeCode = "one-time code"
  case codeDigits = "digits of a one-time code"
  case accessToken = "access token"
  case refreshToken = "refresh token"
  case alertKey = "alert key"
  case accessSuccessor = "successor of an access token"
  case refreshSuccessor = "successor of a refresh token"
  case rateCount = "rate count"
  case codeChallenge = "challenge before a code"
  case pageAccount = "account of a page"
  case pageToken = "token of a page"
  case pageKey = "key of a page"
  case inbox = "alert in an inbox"
  case answerCode = "code of an answer"
  case answerKey = "key of an answer"
}

extension ServerKeys {
  /// The keyed hash of `message`, 32 bytes.
  func hash(_ message: [UInt8], for use: AuthenticationKey) -> [UInt8] {
    KeyedHash.of(message, key: secret.derived(for: "authentication: \(use.rawValue)"))
  }

  /// An alert key as it goes over the wire, and what the store keeps of it.
  package func alertKey(bytes: [UInt8]) -> (text: String, hash: [UInt8]) {
    let key = BearerToken(.alertKey, bytes: bytes)
    return (key.text, hash(of: key))
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
