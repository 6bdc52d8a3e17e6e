import LocalStore
import Model

/// What a device's store shows, read through its own interface.
struct DeviceView {
  /// Newest first, those in the spool too.
  var entries: [HistoryEntry]
  var entriesByID: [AlertID: HistoryEntry] = [:]
  var queue: [QueueItem]
  var contacts: [Contact]
  var session: Session?
  var deviceID: DeviceID
  /// Alerts that only the spool has.
  var spooled: Set<AlertID> = []
  var isSetAside: Bool
  var status: AlertStatus
  /// Calls for help that another alert carries than their own, by the id that theirs would have.
  var carried: [AlertID: AlertID]
  /// Of the queue, by what it is about.
  private(set) var items: [EntityID: [QueueItem]] = [:]

  init(_ store: LocalStore) throws(LocalStoreError) {
    let queue = try store.queue()
    let entries = try store.history(limit: 100_000, before: nil).entries
    self.queue = queue
    self.entries = entries
    contacts = try store.contacts().map(\.contact)
    session = try store.session()
    status = try store.status()
    carried = try store.carriedPresses()
    deviceID = try store.deviceID()
    isSetAside = store.report.setAsidePath != nil
    for entry in entries { entriesByID[entry.alert.id] = entry }
    for item in queue { items[item.entityID, default: []].append(item) }
    // One that is in the store as well is about to be removed from the spool.
    for alert in Spool.alerts(store.home) where items[EntityID(alert.id)] == nil {
      if let entry = entriesByID[alert.id], entry.stage == .saved, !entry.isDiscarded { spooled.insert(alert.id) }
    }
  }

  /// Somebody is signed in, and the session has not expired: what waits is to be sent.
  var isOnline: Bool { session.map { !$0.isExpired } ?? false }

  /// Whether another alert stands for one of which the person was told here: for a call that repeats it, or for a drill that
  /// came out of the spool and met a real alert.
  func isCarried(_ told: DeviceLedger.ToldAlert) -> Bool {
    let hasMetReal = told.isSpooled && told.alert.isDrill && entries.contains { !$0.alert.isDrill }
    return carried[told.alert.id] != nil || hasMetReal && !spooled.contains(told.alert.id)
  }

  func isQueued(_ kind: String, _ entity: EntityID) -> Bool {
    items[entity]?.contains { $0.kind == kind } ?? false
  }

  func isParked(_ entity: EntityID) -> Bool {
    items[entity]?.contains { $0.parked != nil } ?? false
  }
}
