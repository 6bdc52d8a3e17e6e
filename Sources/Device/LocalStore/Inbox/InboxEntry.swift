package import Model

/// An alert in the inbox, with what waits on this device.
package struct InboxEntry: Hashable, Sendable, Identifiable {
  package var alert: InboxAlert
  /// The newest answer given here that the server has not taken yet.
  package var waiting: InboxAnswer?
  /// Why the server refused the newest answer; nil if it did not.
  package var refusal: String?

  package init(alert: InboxAlert, waiting: InboxAnswer? = nil, refusal: String? = nil) {
    self.alert = alert
    self.waiting = waiting
    self.refusal = refusal
  }

  package var id: InboxID { alert.id }
  /// The answer that counts here: the one that waits, else the one that the server has.
  package var answer: InboxAnswer? { waiting ?? alert.response?.answer }
}
