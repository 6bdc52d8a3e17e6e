/// What a mail server must be told beside the mail, and how to reach it.
package struct MailSubmission: Hashable, Sendable {
  /// The addresses on the envelope.
  package var sender: String
  package var recipient: String
  package var server: MailServer
}

/// The reply of the mail server on which a mail ended (RFC 5321 §4.2).
package struct MailReply: Sendable, Hashable {
  /// What it is about.
  package enum Subject: String, Sendable, Hashable, CaseIterable {
    /// The greeting, or the name of this server.
    case session
    case login
    case sender
    case recipient
    /// The mail itself.
    case content
  }

  /// 2xx: it was taken; 4xx: not now; 5xx: not so. Nil: the server did not say whether it took the whole mail.
  package var code: Int?
  package var subject: Subject

  package init(_ code: Int?, to subject: Subject) {
    self.code = code
    self.subject = subject
  }

  var isTaken: Bool { code.map { (200..<300).contains($0) } ?? false }
  /// Refused with words that another attempt will likely get too.
  var isPermanent: Bool { code.map { $0 >= 500 } ?? false }
  /// Whether the responder's mailbox is refused: anything else is between the operator and the mail server.
  var refusesRecipient: Bool { isPermanent && subject == .recipient }
}
