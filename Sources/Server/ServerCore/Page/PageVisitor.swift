package import Model
import Wire

/// A person with the link of a page: the responder to whom it was sent, for all that the server knows.
package struct PageVisitor: Sendable {
  package let link: PageLink
  package let contact: Contact
  package let alert: StoredAlert
  /// The channel over which the link of a drill was sent; nil of a real alert.
  package let channel: Channel?

  /// How long after the end of its alert a page is shown.
  static let retentionMilliseconds = InboxAlert.retentionMilliseconds

  static let unknown = Problem(.notFound, "there is no such page")
  static let tooManyUnknown = Problem(.rateLimited, "there is no such page, and many others were asked for")
  static let gone = Problem(.gone, "this page is no longer shown")

  /// Finds the responder of the token in the facts.
  ///
  /// Throws `notFound` for a token that was never given, and `gone` for an old one, or if the contact is no responder any more, has
  /// another number, or in a drill no longer has the channel.
  init(_ work: inout RequestWork) throws(Problem) {
    guard let link = work.facts.page else { throw Self.unknown }
    let (alert, details) = work.decide(about: link.account) { work in
      (work.state.alert(link.alert), work.state.contact(link.contact))
    }
    guard let alert, let details, details.isResponder, !Self.isOver(alert, now: work.now) else { throw Self.gone }
    let contact = Contact(id: link.contact, details: details)
    let channels: [Channel?] = alert.record.alert.isDrill ? [nil, .inbox] + details.channels : [nil]
    let found = channels.first { channel in
      let token = work.keys.pageToken(alert: link.alert, contact: contact, account: link.account, channel: channel)
      return work.keys.pageKey(of: token) == link.key
    }
    guard let channel = found else { throw Self.gone }
    self.channel = channel
    self.link = link
    self.alert = alert
    self.contact = contact
  }

  static func isOver(_ alert: StoredAlert, now: Timestamp) -> Bool {
    guard let end = alert.record.endReceivedAt else { return false }
    return now.milliseconds(since: end) > retentionMilliseconds
  }
}
