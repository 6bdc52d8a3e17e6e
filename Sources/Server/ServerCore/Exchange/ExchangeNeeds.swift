import Model
import Wire

extension FactNeeds {
  /// What an exchange looks at, as far as the request tells.
  init(_ request: SyncRequest, account: AccountRecord, bucket: [UInt8], pageLimit: Int?) {
    self.init()
    for case .valid(let mutation) in request.mutations { add(mutation, device: request.deviceID) }
    for mutation in request.mutations { results.insert(mutation.id) }
    for case .valid(let notification) in request.notifications { add(notification) }
    cursors = SyncPosition.claims(request, epoch: account.epoch)
    if !request.mutations.isEmpty || !request.notifications.isEmpty { self.bucket = bucket }
    activeAlerts = max(1, activeAlerts)
    if activeAlerts > 1 { activeAlerts = AccountState.activeAlertLimit + request.mutations.count }
    guard let pageLimit else { return }
    // What this exchange changes leaves its old place in the log: so many more are read.
    let changed = request.mutations.count + 4 * request.notifications.count
    page = PageNeed(after: SyncPosition.sequence(request, epoch: account.epoch), count: pageLimit + 1 + changed)
  }

  private mutating func add(_ mutation: Mutation, device: DeviceID) {
    let alert = AlertID(mutation.entityID)
    switch mutation.change {
    case .activateAlert: alerts.insert(alert)
    case .updateAlert:
      alerts.insert(alert)
      contacts = true
      deliveriesOfAlerts.insert(alert)
      deliveryCounts.insert(alert)
    case .deactivateAlert(let end):
      alerts.insert(alert)
      activeAlerts = AccountState.activeAlertLimit
      if let seen = end.seenUpdates { newerUpdates.insert(SeenUpdates(alert: alert, updates: seen, device: device)) }
    case .putContact, .removeContact:
      contacts = true
      openDeliveriesToContacts.insert(ContactID(mutation.entityID))
      activeAlerts = AccountState.activeAlertLimit
      newestAlerts = 10
    }
  }

  private mutating func add(_ notification: NotificationRequest) {
    results.insert(MutationID(notification.id))
    alerts.insert(notification.alertID)
    contacts = true
    deliveriesOfAlerts.insert(notification.alertID)
    deliveryCounts.insert(notification.alertID)
    openDeliveryCount = true
  }
}
