package import Model
import Secrets

/// A secret that authenticates a device: 32 bytes, with a prefix by which people and secret scanners recognize it.
///
/// The first half is random, and the second one names the account, so that a store can look where its rows are, and fetch them in the
/// same step. Only the server can read the name. Tokens of earlier programs are random as a whole, and name none.
struct BearerToken: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case access = "lsa_"
    case refresh = "lsr_"
    case alertKey = "lsk_"
  }

  static let byteCount = 32
  static let secretByteCount = 16
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
  case tokenAccount = "account of a token"
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
  /// - Parameter bytes: random ones, at least `BearerToken.secretByteCount`.
  package func alertKey(of account: AccountID, bytes: [UInt8]) -> (text: String, hash: [UInt8]) {
    let key = token(.alertKey, of: account, from: bytes)
    return (key.text, hash(of: key))
  }

  /// A token of the account.
  /// - Parameter bytes: random ones, of which the first are used.
  func token(_ kind: BearerToken.Kind, of account: AccountID, from bytes: [UInt8]) -> BearerToken {
    let secret = Array(bytes.prefix(BearerToken.secretByteCount))
    let (high, low) = account.words
    return BearerToken(kind, bytes: secret + masked([high, low].flatMap(\.bigEndianBytes), by: secret))
  }

  /// The account that the token names; nil where that is none, as with most tokens that the server did not make so. It may be any account
  /// where somebody has changed the token, which the server then does not know.
  func account(namedBy token: BearerToken) -> AccountID? {
    let name = masked(
      Array(token.bytes.dropFirst(BearerToken.secretByteCount)),
      by: Array(token.bytes.prefix(BearerToken.secretByteCount)))
    let (high, low) = (UInt64(bigEndianBytes: name.prefix(8)), UInt64(bigEndianBytes: name.suffix(8)))
    // RFC 9562 §5.7: version 7, its variant, and a time before the year 2109.
    guard high >> 12 & 0xF == 7, low >> 62 == 2, high >> 58 == 0 else { return nil }
    return AccountID(words: (high, low))
  }

  /// Hides a name, or shows it again.
  private func masked(_ name: [UInt8], by secret: [UInt8]) -> [UInt8] {
    zip(name, hash(secret, for: .tokenAccount)).map { $0 ^ $1 }
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

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }

  fileprivate init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
