import Model

/// Queued items as people count them: by alert and by contact, not by item.
package struct UnsentCounts: Hashable, Sendable {
  package private(set) var alerts = 0
  package private(set) var contacts = 0
  package private(set) var profiles = 0
  /// Other changes, such as those that a restored server has not been offered yet.
  package private(set) var others = 0

  package init(alerts: Int = 0, contacts: Int = 0, others: Int = 0) {
    self.alerts = alerts
    self.contacts = contacts
    self.others = others
  }

  /// Everything but alerts and contacts.
  package var rest: Int { profiles + others }

  package init(_ items: some Sequence<QueueItem>) {
    self.init(items.lazy.map { (entity: $0.entityID.description, kind: $0.kind) })
  }

  /// Counts each entity once.
  init(_ items: some Sequence<(entity: String, kind: String)>) {
    var seen: Set<String> = []
    for item in items where seen.insert(item.entity).inserted {
      if item.kind.hasPrefix("contact.") {
        contacts += 1
      } else if item.kind.hasPrefix("alert.") || item.kind.hasPrefix("notification.") {
        alerts += 1
      } else if item.kind.hasPrefix("profile.") {
        profiles += 1
      } else {
        others += 1
      }
    }
  }

  package var count: Int { alerts + contacts + profiles + others }

  /// As in "1 alert" and "2 alerts and 1 contact change"; "nothing" for none.
  package var text: String {
    countedList(["alert": alerts, "contact change": contacts, "name change": profiles, "other change": others])
  }
}
