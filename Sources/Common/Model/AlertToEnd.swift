/// An active alert as a person was shown it: what an end covers that they decide on.
package struct AlertToEnd: Hashable, Sendable {
  package var alert: Alert
  /// The newest update that this device had heard of then: of a later one, the end has not heard.
  package var seenUpdates: [MutationID]

  package init(alert: Alert, seenUpdates: [MutationID]) {
    self.alert = alert
    self.seenUpdates = seenUpdates
  }
}
