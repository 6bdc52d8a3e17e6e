import Model

/// A mailbox, through the operator's mail server.
struct MailDriver: ChannelDriver {
  let server: MailServer

  func reasonAgainst(_ channel: Channel) -> String? {
    MailAddress(channel) == nil ? "this mail address cannot be used" : nil
  }

  func writer(over channel: Channel) -> RequestWriter? {
    guard let recipient = MailAddress(channel) else { return nil }
    return { [server] message, _ in
      let mail = MailText(message, from: server.sender, to: recipient)
      // The path is the name that this server gives itself.
      var request = ChannelRequest(url: "\(server.url)/\(server.sender.domain)", headers: [], body: mail.bytes)
      request.mail = MailSubmission(sender: server.sender.text, recipient: recipient.text, server: server)
      return request
    }
  }
}
