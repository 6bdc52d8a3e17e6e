package import Model

/// Names the rows of one account that a decision looks at.
///
/// A decision adds rows that were not named to `AccountState.missing`, and is made again with them. So a list that is too short costs
/// a round trip, never a wrong answer.
package struct FactNeeds: Sendable, Hashable {
  /// The stored results under these ids.
  package var results: Set<MutationID> = []
  package var alerts: Set<AlertID> = []
  /// How many of the active alerts, newest first.
  package var activeAlerts = 0
  /// How many of all alerts, newest first.
  package var newestAlerts = 0
  /// All contacts.
  package var contacts = false
  /// These contacts, where not all are fetched.
  package var namedContacts: Set<ContactID> = []
  /// The failed channels of these contacts, where the contacts are not fetched.
  package var failedChannels: Set<ContactID> = []
  /// Whether another device updated an alert after the updates that its end has seen.
  package var newerUpdates: Set<SeenUpdates> = []
  package var deliveries: Set<DeliveryID> = []
  /// All deliveries about these alerts.
  package var deliveriesOfAlerts: Set<AlertID> = []
  /// The deliveries about one alert to one contact.
  package var deliveriesToContacts: Set<AlertContact> = []
  /// What an edit of these contacts may touch: the queued deliveries to each; those about the active and the newest alerts that are
  /// asked for, and how many deliveries each of these alerts has. A store notes in the facts' `needs` what it fetched for them.
  package var editedContacts: Set<ContactID> = []
  /// What responders answered to these alerts.
  package var responses: Set<AlertID> = []
  /// The newest places that updates of these alerts told.
  package var tracks: Set<AlertID> = []
  /// What the newest calls of these alerts said.
  package var words: Set<AlertID> = []
  /// The newest place that an update of each of these alerts told.
  package var newestPlaces: Set<AlertID> = []
  /// The alerts that these devices raised and of which inboxes say that the device is silent.
  package var silentAlerts: Set<DeviceID> = []
  /// When these devices were last heard from.
  package var lastContacts: Set<DeviceID> = []
  /// When the devices that raised these alerts were last heard from. A store notes in the facts' `needs` which devices those are.
  package var lastContactsAboutAlerts: Set<AlertID> = []
  /// How many deliveries these alerts have.
  package var deliveryCounts: Set<AlertID> = []
  /// How many deliveries of the account are queued.
  package var openDeliveryCount = false
  /// The alerts in the account's inbox with these ids.
  package var inbox: Set<InboxID> = []
  /// What the log knows of these cursors.
  package var cursors: Set<CursorClaim> = []
  package var page: PageNeed?

  package init() {}

  package var isEmpty: Bool { self == Self() }

  package mutating func formUnion(_ other: Self) {
    results.formUnion(other.results)
    alerts.formUnion(other.alerts)
    activeAlerts = max(activeAlerts, other.activeAlerts)
    newestAlerts = max(newestAlerts, other.newestAlerts)
    contacts = contacts || other.contacts
    namedContacts.formUnion(other.namedContacts)
    failedChannels.formUnion(other.failedChannels)
    newerUpdates.formUnion(other.newerUpdates)
    deliveries.formUnion(other.deliveries)
    deliveriesOfAlerts.formUnion(other.deliveriesOfAlerts)
    deliveriesToContacts.formUnion(other.deliveriesToContacts)
    editedContacts.formUnion(other.editedContacts)
    responses.formUnion(other.responses)
    tracks.formUnion(other.tracks)
    words.formUnion(other.words)
    newestPlaces.formUnion(other.newestPlaces)
    silentAlerts.formUnion(other.silentAlerts)
    lastContacts.formUnion(other.lastContacts)
    lastContactsAboutAlerts.formUnion(other.lastContactsAboutAlerts)
    deliveryCounts.formUnion(other.deliveryCounts)
    openDeliveryCount = openDeliveryCount || other.openDeliveryCount
    inbox.formUnion(other.inbox)
    cursors.formUnion(other.cursors)
    page = other.page ?? page
  }
}

/// One contact about one alert.
package struct AlertContact: Sendable, Hashable {
  package var alert: AlertID
  package var contact: ContactID

  package init(_ alert: AlertID, _ contact: ContactID) {
    self.alert = alert
    self.contact = contact
  }
}

/// The updates of an alert that a device knew of when it ended the alert.
package struct SeenUpdates: Sendable, Hashable {
  package var alert: AlertID
  package var updates: [MutationID]
  package var device: DeviceID

  package init(alert: AlertID, updates: [MutationID], device: DeviceID) {
    self.alert = alert
    self.updates = updates
    self.device = device
  }
}

/// What a cursor says of the account's log.
package struct CursorClaim: Sendable, Hashable {
  package var sequence: Int64
  package var tag: UInt64

  package init(sequence: Int64, tag: UInt64) {
    self.sequence = sequence
    self.tag = tag
  }
}

/// Up to `count` changes beyond `sequence`.
package struct PageNeed: Sendable, Hashable {
  package var sequence: Int64
  package var count: Int

  package init(after sequence: Int64, count: Int) {
    self.sequence = sequence
    self.count = count
  }
}
