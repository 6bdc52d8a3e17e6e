/// Names what the history and the contacts were when a snapshot was taken, so that a feature reads them again only where they have
/// changed.
package struct SnapshotRevision: Hashable, Sendable {
  package let alerts: String
  package let contacts: String

  package init(alerts: String, contacts: String) {
    self.alerts = alerts
    self.contacts = contacts
  }
}
