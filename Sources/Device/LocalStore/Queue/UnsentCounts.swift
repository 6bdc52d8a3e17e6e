import Model
import SQLiteKit
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

  fileprivate static let place = "place"

  /// Counts each entity once: an alert as a place, and one of the inbox as seen, only if nothing else of it waits.
  init(_ items: some Sequence<(entity: String, kind: String)>) {
    var seen: Set<String> = []
    for item in items where !Self.isMinor(item.kind) && seen.insert(item.entity).inserted { count(item.kind) }
    for item in items where Self.isMinor(item.kind) && seen.insert(item.entity).inserted { count(item.kind) }
  }

  /// The same for rows that come entity by entity: keeps none of them.
  struct Tally {
    private(set) var counts = UnsentCounts()
    private var entity: String?
    /// What the entity counts as: its first item that is not minor, or its first.
    private var kind: String?

    mutating func note(_ kind: String, of entity: String) {
      if entity != self.entity {
        finish()
        (self.entity, self.kind) = (entity, kind)
      } else if let known = self.kind, UnsentCounts.isMinor(known), !UnsentCounts.isMinor(kind) {
        self.kind = kind
      }
    }

    /// Counts the last entity.
    mutating func finish() {
      if let kind { counts.count(kind) }
      (entity, kind) = (nil, nil)
    }
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

extension LocalStore {
  /// What waits to be sent, without what the server refused. Reads the queue row by row, and keeps none of it.
  package func waitingCounts() throws(LocalStoreError) -> UnsentCounts {
    try file.read { reading in
      var tally = UnsentCounts.Tally()
      try reading.forEachRow(
        """
        SELECT entity_id, kind, kind = 'alert.update' AND instr(body, ?) > 0 AS is_place
        FROM pending_mutations INDEXED BY pending_mutations_entity WHERE parked_at IS NULL
        UNION ALL
        SELECT alert_id, 'notification.' || kind, 0
        FROM pending_notifications INDEXED BY pending_notifications_alert WHERE parked_at IS NULL
        ORDER BY entity_id
        """, .text(MutationBody.noCall)
      ) { row in try tally.note(row) }
      tally.finish()
      return tally.counts
    }
  }

  /// What the server refused.
  package func refusedCounts() throws(LocalStoreError) -> UnsentCounts {
    try file.read { reading in
      var tally = UnsentCounts.Tally()
      try reading.forEachRow(
        """
        SELECT entity_id, kind, kind = 'alert.update' AND instr(body, ?) > 0 AS is_place
        FROM pending_mutations INDEXED BY pending_mutations_parked WHERE parked_at IS NOT NULL
        UNION ALL
        SELECT alert_id, 'notification.' || kind, 0
        FROM pending_notifications INDEXED BY pending_notifications_parked WHERE parked_at IS NOT NULL
        ORDER BY entity_id
        """, .text(MutationBody.noCall)
      ) { row in try tally.note(row) }
      tally.finish()
      return tally.counts
    }
  }
}

extension UnsentCounts.Tally {
  /// The columns `entity_id, kind, is_place`.
  fileprivate mutating func note(_ row: borrowing Row) throws -> Statement.RowLoop {
    note(try row["is_place"] ? UnsentCounts.place : try row["kind"], of: try row["entity_id"])
    return .goOn
  }
}
