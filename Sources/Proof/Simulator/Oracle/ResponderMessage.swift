package import Model

/// A message that reached a responder's channel.
package struct ResponderMessage: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case help
    case safe
    /// No news of the alert: who comes, or whether the responder still does.
    case aside
  }

  /// The channel's URL, as in the contact.
  package let channel: String
  package let alert: AlertID
  package let kind: Kind
  package let text: String
  /// Whether it says that it is only a test.
  package let isMarkedAsDrill: Bool

  package init(channel: String, alert: AlertID, kind: Kind, text: String, isMarkedAsDrill: Bool = false) {
    self.channel = channel
    self.alert = alert
    self.kind = kind
    self.text = text
    self.isMarkedAsDrill = isMarkedAsDrill
  }
}
