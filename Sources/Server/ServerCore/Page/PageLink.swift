import Model
import Secrets

/// The secret in the link of a responder's page: it stands for one responder and one alert.
///
/// It is derived from the server's secret, so that every message to a responder about one alert has the same link, and no store keeps it.
struct PageToken: Sendable, Hashable {
  /// The first two bytes stand for the account: links of one account lie together, and a store that is divided by account asks one part.
  /// The other 128 bits are the secret. 24 characters leave room in an SMS.
  static let byteCount = 18
  static let accountByteCount = 2

  let bytes: [UInt8]

  fileprivate init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Reads `text`; nil for anything that is no token.
  init?(_ text: String) {
    guard text.utf8.count == Self.byteCount / 3 * 4, let bytes = Base64URL.decode(text), bytes.count == Self.byteCount
    else { return nil }
    self.init(bytes: bytes)
  }

  /// As it stands in a link.
  var text: String { Base64URL.encode(bytes) }
}

/// What a store knows of a token: the account's two bytes, and a keyed hash of all of them.
package struct PageKey: Sendable, Hashable {
  package static let byteCount = PageToken.accountByteCount + 32

  package var bytes: [UInt8]

  package init(bytes: [UInt8]) {
    self.bytes = bytes
  }
}

extension ServerKeys {
  /// A contact whose number is changed is another person: their link is another, and the earlier one is invalid.
  ///
  /// - Parameter channel: that over which the link of a drill is sent, so that an answer shows which channel reached its person.
  func pageToken(alert: AlertID, contact: Contact, account: AccountID, channel: Channel? = nil) -> PageToken {
    let through = channel.map { " \($0.url)" } ?? ""
    let group = hash(Array(account.description.utf8), for: .pageAccount).prefix(PageToken.accountByteCount)
    let secret = hash(
      Array("\(account) \(alert) \(contact.id) \(contact.details.phone)\(through)".utf8), for: .pageToken)
    return PageToken(bytes: Array(group + secret.prefix(PageToken.byteCount - group.count)))
  }

  func pageKey(of token: PageToken) -> PageKey {
    PageKey(bytes: Array(token.bytes.prefix(PageToken.accountByteCount)) + hash(token.bytes, for: .pageKey))
  }
}
