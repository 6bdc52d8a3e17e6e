/// From whom a mail comes, whom it is to reach, and how the mail server is to be spoken to.
///
/// A request with an envelope is no HTTP request: its body is submitted as a mail over SMTP (RFC 5321, RFC 6409). Its URL is
/// `smtp://host:587/name` or `smtps://host:465/name`, where `name` is what the client calls itself.
package struct MailEnvelope: Sendable, Hashable {
  package struct Login: Sendable, Hashable {
    package var user: String
    package var password: String

    package init(user: String, password: String) {
      self.user = user
      self.password = password
    }
  }

  /// A mailbox, `name@example.org`, in ASCII without spaces and angle brackets. So is `recipient`.
  package var sender: String
  package var recipient: String
  package var login: Login?
  /// Whether `smtp://` becomes encrypted (STARTTLS) before the login and the mail, or fails. If not, only this machine is connected to.
  package var demandsEncryption: Bool

  package init(sender: String, recipient: String, login: Login?, demandsEncryption: Bool) {
    self.sender = sender
    self.recipient = recipient
    self.login = login
    self.demandsEncryption = demandsEncryption
  }
}

/// What the reply of a mail server is about.
package enum MailStep: Sendable, Hashable {
  /// The beginning: the greeting, and the client's name.
  case session
  case login
  case sender
  case recipient
  /// The mail itself.
  case content
}
