import LocalStore
import Model

/// What a device's store shows through its own interface.
struct DeviceView {
  /// Newest first, including those in the spool.
  var entries: [HistoryEntry]
  var entriesByID: [AlertID: HistoryEntry] = [:]
  var queue: [QueueItem]
  var contacts: [Contact]
  var session: Session?
  var deviceID: DeviceID
  /// Alerts that are only in the spool.
  var spooled: Set<AlertID> = []
  var isSetAside: Bool
  var status: AlertStatus
  /// Calls for help that another alert carries: from the id that they would have had to that alert's.
  var carried: [AlertID: AlertID]
  /// The queue by entity.
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
    // A file whose alert is also in the store is about to be removed.
    for alert in Spool.alerts(store.home) where items[EntityID(alert.id)] == nil {
      if let entry = entriesByID[alert.id], entry.stage == .saved, !entry.isDiscarded { spooled.insert(alert.id) }
    }
  }

  /// Whether somebody is signed in with a valid session, so that waiting items are to be sent.
  var isOnline: Bool { session.map { !$0.isExpired } ?? false }

  /// Whether another alert stands for a told one: for a call that repeats it, or for a drill that left the spool and met a real
  /// alert.
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
