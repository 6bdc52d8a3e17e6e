import Model
import Wire

/// An address of a mailbox that is safe in an envelope and in a header: atoms with dots, `@`, and the name of a domain (RFC 5321 §4.1.2).
package struct MailAddress: Sendable, Hashable {
  package let text: String
  let domain: String

  /// Nil for any other text, such as one with a quoted name, with spaces, or with letters beyond ASCII.
  package init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count <= 64, parts[1].utf8.count <= 255,
      Self.isDotted(parts[0], Self.isOfAtom), Self.isDotted(parts[1], Self.isOfLabel),
      // An address of the network has another form.
      parts[1].utf8.last.map({ !(0x30...0x39).contains($0) }) == true
    else { return nil }
    self.text = text
    domain = String(parts[1])
  }

  /// Of a channel `mailto:ana@example.org`, in which characters may be percent-encoded (RFC 6068).
  init?(_ channel: Channel) {
    guard channel.kind == .mail,
      let text = URLEncoding.decoded(channel.url.dropFirst("mailto:".utf8.count), plusIsSpace: false)
    else { return nil }
    self.init(text)
  }

  static func isOfDomain(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || isOfLabel(byte) }

  private static func isDotted(_ text: Substring, _ isAllowed: (UInt8) -> Bool) -> Bool {
    text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
      .allSatisfy { !$0.isEmpty && $0.allSatisfy(isAllowed) }
  }

  private static func isOfLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  private static func isOfAtom(_ byte: UInt8) -> Bool { isOfLabel(byte) || "!#$%&'*+/=?^_`{|}~".utf8.contains(byte) }
}
