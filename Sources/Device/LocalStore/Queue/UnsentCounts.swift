import Model
import Wire

/// Queued items as people count them: by alert and by contact, not by item.
package struct UnsentCounts: Hashable, Sendable {
  package private(set) var alerts = 0
  package private(set) var contacts = 0
  package private(set) var profiles = 0
  /// Answers to alerts of others, by alert.
  package private(set) var answers = 0
  /// Alerts of which only a place or a battery level waits.
  package private(set) var places = 0
  /// Other changes, such as those that a restored server has not been offered yet.
  package private(set) var others = 0

  package init(alerts: Int = 0, contacts: Int = 0, others: Int = 0) {
    self.alerts = alerts
    self.contacts = contacts
    self.others = others
  }

  /// Everything but alerts and contacts.
  package var rest: Int { profiles + answers + places + others }

  package init(_ items: some Sequence<QueueItem>) {
    self.init(items.map { (entity: $0.entityID.description, kind: $0.isPlace ? Self.place : $0.kind) })
  }

  private static let place = "place"

  /// Counts each entity once: an alert as a place, and one of the inbox as seen, only if nothing else of it waits.
  init(_ items: some Sequence<(entity: String, kind: String)>) {
    var seen: Set<String> = []
    for item in items where !Self.isMinor(item.kind) && seen.insert(item.entity).inserted { count(item.kind) }
    for item in items where Self.isMinor(item.kind) && seen.insert(item.entity).inserted { count(item.kind) }
  }

  private static func isMinor(_ kind: String) -> Bool { kind == place || kind == Mutation.Kind.seeInbox.rawValue }

  private mutating func count(_ kind: String) {
    switch kind.prefix(while: { $0 != "." }) {
    case "contact": contacts += 1
    case "alert", "notification": alerts += 1
    case "profile": profiles += 1
    case Self.place: places += 1
    case "inbox" where !Self.isMinor(kind): answers += 1
    default: others += 1
    }
  }

  package var count: Int { alerts + contacts + rest }

  /// As in "1 alert" and "2 alerts and 1 contact change"; "nothing" for none.
  package var text: String {
    countedList([
      "alert": alerts, "answer": answers, "contact change": contacts, "name change": profiles, "place": places,
      "other change": others,
    ])
  }
}

extension QueueItem {
  /// Whether it is news of an alert that is no call for help.
  fileprivate var isPlace: Bool { kind == Mutation.Kind.updateAlert.rawValue && body.contains(MutationBody.noCall) }
}
