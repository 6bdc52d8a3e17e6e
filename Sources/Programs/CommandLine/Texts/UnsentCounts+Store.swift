import LocalStore
import Model

/// Queued items counted as people count: by alert and by contact, not by message to the server.
struct WaitingItems: Equatable {
  private(set) var alerts = 0
  private(set) var contacts = 0
  private(set) var others = 0

  init(alerts: Int = 0, contacts: Int = 0, others: Int = 0) {
    self.alerts = alerts
    self.contacts = contacts
    self.others = others
  }

  init(_ items: some Sequence<QueueItem>) {
    let counts = UnsentCounts(items)
    self.init(alerts: counts.alerts, contacts: counts.contacts, others: counts.others)
  }

  /// What waits in the store, without what the server refused.
  static func waiting(in store: LocalStore) throws(LocalStoreError) -> WaitingItems {
    WaitingItems(try store.queue().filter { $0.parked == nil })
  }

  /// What the server refused.
  static func refused(in store: LocalStore) throws(LocalStoreError) -> WaitingItems {
    WaitingItems(try store.queue().filter { $0.parked != nil })
  }

  var count: Int { alerts + contacts + others }

  /// As in "1 alert", "2 alerts and 1 contact"; "nothing" for none.
  var text: String {
    let parts = [(alerts, "alert"), (contacts, "contact"), (others, "other change")].filter { $0.0 > 0 }
      .map { $0 == 1 ? "1 \($1)" : "\($0) \($1)s" }
    guard let last = parts.last else { return "nothing" }
    return parts.count == 1 ? last : parts.dropLast().joined(separator: ", ") + " and " + last
  }
}
