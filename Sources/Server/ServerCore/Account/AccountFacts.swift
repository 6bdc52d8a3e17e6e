package import Model
import Wire

/// What a store knows of one account, as far as a decision asked: the rows that `needs` names, all of one moment.
package struct AccountFacts: Sendable {
  /// All that was asked for.
  package var needs = FactNeeds()
  /// Nil where there is no such account.
  package var record: AccountRecord?
  package var position = LogPosition()
  /// Of the change at `position.newestSequence`; nil before the first.
  package var newestTag: UInt64?

  package var results: [MutationID: RecordedResult] = [:]
  package var alerts: [AlertID: StoredAlert] = [:]
  /// Newest first.
  package var activeAlerts: [AlertID] = []
  /// Newest first.
  package var newestAlerts: [AlertID] = []
  package var contacts: [ContactID: ContactDetails] = [:]
  package var newerUpdates: [SeenUpdates: Bool] = [:]
  package var deliveries: [DeliveryID: StoredDelivery] = [:]
  package var deliveryCounts: [AlertID: Int] = [:]
  package var openDeliveryCount = 0
  /// Nil where no bucket is stored: it is full.
  package var bucketFullAt: Timestamp?
  package var cursors: [CursorClaim: CursorFact] = [:]
  /// Oldest first.
  package var page: [(change: LoggedChange, entity: LoggedEntity)] = []

  package init() {}
}

/// What the log knows of a cursor.
package struct CursorFact: Sendable, Hashable {
  /// Of the change at its sequence; nil where that was replaced or never was.
  package var tag: UInt64?
  /// It was handed to a device of the account.
  package var isRemembered: Bool

  package init(tag: UInt64?, isRemembered: Bool) {
    self.tag = tag
    self.isRemembered = isRemembered
  }
}
