/// The revisions of the history and the contacts at a snapshot, so that a feature rereads them only after a change.
package struct SnapshotRevision: Hashable, Sendable {
  package let alerts: String
  package let contacts: String

  package init(alerts: String, contacts: String) {
    self.alerts = alerts
    self.contacts = contacts
  }
}
