import Model

/// How long the server keeps what belongs to an alert, from its end on by the server's clock. Of an active alert everything is kept.
package struct Retention: Sendable, Hashable {
  /// Pages and inboxes show an alert for as long.
  package static let minimumDays = Int(PageVisitor.retentionMilliseconds / dayMilliseconds)
  private static let dayMilliseconds: Int64 = 86_400_000

  /// Of the places where the person was.
  package var placesDays = minimumDays
  /// Of the alert itself; nil: as long as its account.
  package var alertDays: Int?

  package init() {}

  /// A place is kept no longer than its alert.
  package var effectivePlacesDays: Int { min(placesDays, alertDays ?? placesDays) }

  /// Which parts are forgotten at `now`, of alerts that ended before when. A day is added, so that nothing goes while it is still shown.
  func due(at now: Timestamp) -> [(part: ForgottenPart, endedBefore: Timestamp)] {
    func end(_ days: Int) -> Timestamp {
      now.advanced(byMilliseconds: -(Int64(max(days, Self.minimumDays)) + 1) * Self.dayMilliseconds)
    }
    let always = [(ForgottenPart.links, end(Self.minimumDays)), (.places, end(effectivePlacesDays))]
    return always + (alertDays.map { [(.content, end($0))] } ?? [])
  }
}

/// What is forgotten of an alert that ended long ago, one part after the other. Raw values are stored.
///
/// The alert's id, its times and whether it was a drill stay, and the results of all its requests but those that told places alone. So an
/// old request that arrives again raises nothing anew, and a device that was away for long learns of the end.
package enum ForgottenPart: Int64, Sendable, CaseIterable {
  /// What led responders to it: the links of its pages, the codes of its text messages, its copies in inboxes.
  case links = 1
  /// Where the person was: the places themselves, and the updates that told nothing else, with their results.
  case places
  /// Everything else: its words, its updates, and whom it told and what they answered.
  case content
}

/// What one step of forgetting did.
package struct ForgottenCount: Sendable, Hashable {
  /// Rows that were removed, or lost a part.
  package var rows = 0
  /// Alerts of which the part is forgotten now.
  package var alerts = 0
  package var hasMore = false

  package init(rows: Int = 0, alerts: Int = 0, hasMore: Bool = false) {
    self.rows = rows
    self.alerts = alerts
    self.hasMore = hasMore
  }
}
