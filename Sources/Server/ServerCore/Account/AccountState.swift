import Model
import Wire

/// One account while a decision is made: the store's facts, changed by the rules item by item.
///
/// No store is in reach. A row that a rule looks at and that was not fetched is added to `missing` and reads as absent. The decision is
/// then discarded and made again with more facts.
struct AccountState {
  let account: AccountID
  private(set) var facts: AccountFacts
  /// Facts that were looked at and not fetched.
  var missing = FactNeeds()

  var alerts: [AlertID: StoredAlert]
  /// In the order in which they were inserted.
  var insertedAlerts: [AlertID] = []
  var changedAlerts: Set<AlertID> = []
  var insertedUpdates: [StoredUpdate] = []

  var contacts: [ContactID: ContactDetails] { didSet { sortedContacts = nil } }
  /// By id; nil until they are asked for.
  var sortedContacts: [Contact]?
  var changedContacts: Set<ContactID> = []
  /// The channels of each contact through which a drill was answered.
  var tested: [ContactID: [TestedChannel]]
  /// The channels of each contact over which a message failed for good, and none got through since.
  var failed: [ContactID: [FailedChannel]]
  var changedProfile: Profile?

  var deliveries: [DeliveryID: StoredDelivery]
  /// The ids of the known deliveries about one alert to one contact.
  var deliveriesToContacts: [AlertContact: [DeliveryID]] = [:]
  var deliveriesOfAlerts: [AlertID: [DeliveryID]] = [:]
  var deliveriesOfContacts: [ContactID: [DeliveryID]] = [:]
  var insertedDeliveries: [DeliveryID] = []
  var newDeliveries: Set<DeliveryID> = []
  var changedDeliveries: Set<DeliveryID> = []
  var deliveryCounts: [AlertID: Int]
  var openDeliveryCountNow: Int
  var releases: [WriteSet.HeldRelease] = []
  /// The links and the codes in messages, to be kept.
  var pageLinks: [PageLink] = []
  var answerLinks: [AnswerLink] = []

  var responses: [AlertContact: StoredResponse]
  var changedResponses: Set<AlertContact> = []

  var inbox: [InboxID: StoredInboxAlert]
  var changedInbox: Set<InboxID> = []
  /// Alerts of this account that must be written into inboxes again.
  var inboxDue: Set<AlertID> = []

  var insertedResults: [MutationID: RecordedResult] = [:]
  private var resultOrder: [MutationID] = []

  init(account: AccountID, facts: AccountFacts) {
    self.account = account
    self.facts = facts
    alerts = facts.alerts
    contacts = facts.contacts
    tested = facts.tested
    failed = facts.failed
    deliveries = facts.deliveries
    deliveryCounts = facts.deliveryCounts
    responses = facts.responses
    inbox = facts.inbox
    openDeliveryCountNow = facts.openDeliveryCount
    for delivery in facts.deliveries.values { index(delivery) }
  }

  // Results

  /// The first result under this id.
  mutating func result(of id: MutationID) -> RecordedResult? {
    if let inserted = insertedResults[id] { return inserted }
    if !facts.needs.results.contains(id) { missing.results.insert(id) }
    return facts.results[id]
  }

  /// Records the result, unless there is one under this id.
  mutating func insertResult(_ result: RecordedResult, of id: MutationID) {
    guard self.result(of: id) == nil else { return }
    insertedResults[id] = result
    resultOrder.append(id)
  }

  // Writes

  /// Everything that differs from the facts.
  func writeSet() -> WriteSet {
    var writes = WriteSet(account: account)
    // What a closure takes from here is named in it: else it takes a copy of all.
    writes.newAlerts = insertedAlerts.compactMap { [alerts] in alerts[$0] }
    writes.changedAlerts = changedAlerts.compactMap { [alerts] in alerts[$0] }
      .sorted { $0.record.ordinal < $1.record.ordinal }
    writes.updates = insertedUpdates
    for id in changedContacts.sorted(by: { $0.words < $1.words }) {
      if let details = contacts[id] {
        writes.contacts.append(Contact(id: id, details: details))
      } else if facts.contacts[id] != nil {
        writes.removedContacts.append(id)
      }
    }
    for id in contacts.keys where tested[id] != facts.tested[id] { writes.tested[id] = tested[id] ?? [] }
    for (id, channels) in failed where channels != facts.failed[id] ?? [] { writes.failed[id] = channels }
    writes.profile = changedProfile
    writes.releases = releases
    writes.newDeliveries = insertedDeliveries.compactMap { [deliveries] in deliveries[$0] }
    writes.changedDeliveries = changedDeliveries.compactMap { [deliveries] in deliveries[$0] }
      .sorted { $0.id.words < $1.id.words }
    writes.pageLinks = pageLinks
    writes.answerLinks = answerLinks
    writes.responses = changedResponses.compactMap { [responses] in responses[$0] }
      .sorted { ($0.alert.description, $0.contact.description) < ($1.alert.description, $1.contact.description) }
    writes.removedResponses = changedResponses.filter { [responses] in responses[$0] == nil }
    for id in changedInbox.sorted(by: { $0.words < $1.words }) {
      if let alert = inbox[id] { writes.inbox.append(alert) } else { writes.removedInbox.append(id) }
    }
    writes.inboxDue = inboxDue.sorted { $0.words < $1.words }
    writes.results = resultOrder.compactMap { [insertedResults] id in insertedResults[id].map { (id, $0) } }
    return writes
  }
}
