package import Model

/// A message that reached a responder's channel.
package struct ResponderMessage: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case help
    case safe
  }

  /// The channel's URL, as in the contact.
  package let channel: String
  package let alert: AlertID
  package let kind: Kind
  package let text: String

  package init(channel: String, alert: AlertID, kind: Kind, text: String) {
    self.channel = channel
    self.alert = alert
    self.kind = kind
    self.text = text
  }
}
