package import Model
import Wire

/// The rows of one account that a decision asked for, all from one moment.
package struct AccountFacts: Sendable {
  /// What was fetched.
  package var needs = FactNeeds()
  /// Nil if there is no such account.
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
  package var silentAlerts: Set<AlertID> = []
  package var contacts: [ContactID: ContactDetails] = [:]
  /// Fetched with the contacts; none of a contact that has none.
  package var tested: [ContactID: [TestedChannel]] = [:]
  /// Fetched with the contacts, or for those that are named; none of a contact that has none.
  package var failed: [ContactID: [FailedChannel]] = [:]
  package var newerUpdates: [SeenUpdates: Bool] = [:]
  package var deliveries: [DeliveryID: StoredDelivery] = [:]
  package var responses: [AlertContact: StoredResponse] = [:]
  /// Newest first, up to `TrackPoint.limit` of each alert.
  package var tracks: [AlertID: [TrackPoint]] = [:]
  /// Newest first, up to `SaidWords.factLimit` of each alert; none of an alert whose updates have no words.
  package var words: [AlertID: [SaidWords]] = [:]
  /// None of an alert whose updates told no place.
  package var newestPlaces: [AlertID: NewestPlace] = [:]
  package var lastContacts: [DeviceID: Timestamp] = [:]
  package var deliveryCounts: [AlertID: Int] = [:]
  package var openDeliveryCount = 0
  package var inbox: [InboxID: StoredInboxAlert] = [:]
  package var cursors: [CursorClaim: CursorFact] = [:]
  /// Oldest first.
  package var page: [(change: LoggedChange, entity: LoggedEntity)] = []

  package init() {}
}

/// Which update of an alert told a place last, and when.
package struct NewestPlace: Sendable, Hashable {
  /// The number of the update.
  package var update: Int
  package var at: Timestamp

  package init(update: Int, at time: Timestamp) {
    self.update = update
    at = time
  }
}

/// What the log knows of a cursor.
package struct CursorFact: Sendable, Hashable {
  /// Of the change at its sequence; nil if that change was replaced or never existed.
  package var tag: UInt64?
  /// It was given to a device of the account. Counts only without a tag; a store need not find out with one.
  package var isRemembered: Bool

  package init(tag: UInt64?, isRemembered: Bool) {
    self.tag = tag
    self.isRemembered = isRemembered
  }
}
