/// The HTTP request that carries a message, or the mail.
package struct ChannelRequest: Hashable, Sendable {
  package var method = "POST"
  package var url: String
  package var headers: [HeaderField]
  package var body: [UInt8]
  package var addresses = AttemptAddresses.publicOnly
  /// What the body of a 2xx answer must contain, in any case of its ASCII letters; nil: the status is enough.
  package var success: String?
  /// Makes it a mail: `url` is its server, and `body` the mail. Method, headers and `addresses` then have no meaning.
  package var mail: MailSubmission?

  /// Whether an answer with status 2xx and this body says that the message was taken.
  package func isTaken(_ answer: [UInt8]) -> Bool {
    guard let success else { return true }
    return answer.map(lowercased).firstRange(of: success.utf8.map(lowercased)) != nil
  }
}

private func lowercased(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

/// Which addresses an attempt may reach, whatever the name resolves to.
package enum AttemptAddresses: Sendable, Hashable {
  /// No private, loopback and link-local ones.
  case publicOnly
  /// Any by HTTPS; by HTTP only this machine.
  case httpsOrLoopback
  case any
}
