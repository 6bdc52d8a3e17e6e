import Model
import Wire

extension FactNeeds {
  /// The facts that an exchange needs, as far as the request shows.
  ///
  /// A cursor of another epoch costs a further round trip: its holder is served from the start, and only the account's record shows
  /// that. It happens once for each device after the server was restored from a copy.
  init(_ request: SyncRequest, pageLimit: Int) {
    self.init()
    for case .valid(let mutation) in request.mutations { add(mutation, device: request.deviceID) }
    for mutation in request.mutations { results.insert(mutation.id) }
    for case .valid(let notification) in request.notifications { add(notification) }
    // Alerts that end in this exchange make room for others.
    activeAlerts = max(1, activeAlerts) + request.mutations.count + request.notifications.count
    silentAlerts = [request.deviceID]
    guard pageLimit > 0 else { return }
    cursors = SyncPosition.claims(request)
    // Entities that change in this exchange leave their old place in the log, so that more rows are needed.
    let changed = request.mutations.count + 4 * request.notifications.count
    page = PageNeed(after: SyncPosition.sequence(request), count: pageLimit + 1 + changed)
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
      responses.insert(alert)
    case .deactivateAlert(let end):
      alerts.insert(alert)
      deliveriesOfAlerts.insert(alert)
      activeAlerts = AccountState.activeAlertLimit
      if let seen = end.seenUpdates { newerUpdates.insert(SeenUpdates(alert: alert, updates: seen, device: device)) }
    case .putContact, .removeContact:
      contacts = true
      editedContacts.insert(ContactID(mutation.entityID))
      activeAlerts = AccountState.activeAlertLimit
      newestAlerts = 10
    // Active alerts are written into inboxes again, with the new name.
    case .putProfile: activeAlerts = AccountState.activeAlertLimit
    case .seeInbox, .answerInbox: inbox.insert(InboxID(mutation.entityID))
    }
  }

  private mutating func add(_ notification: NotificationRequest) {
    results.insert(MutationID(notification.id))
    alerts.insert(notification.alertID)
    contacts = true
    deliveriesOfAlerts.insert(notification.alertID)
    deliveryCounts.insert(notification.alertID)
    responses.insert(notification.alertID)
    openDeliveryCount = true
  }
}
