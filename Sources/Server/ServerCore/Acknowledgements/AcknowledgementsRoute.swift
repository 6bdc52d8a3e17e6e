import Model
import Wire

/// `POST /v1/alerts/{id}/acknowledgements`: a responder says "I am responding". Answers with the alert.
enum AcknowledgementsRoute {
  static func handle(_ context: inout RequestContext) throws -> ServerResponse {
    guard case .session(let account, _, let phone) = context.principal else {
      throw Problem(.unauthorized, "sign in first")
    }
    guard let id = AlertID(context.parameters[0]) else { throw AlertsRoute.unknown }
    // Ids are the accounts' own: where two people raised alerts with the same, both are meant.
    let alerts = try context.transaction.alerts(id, ofThoseNaming: phone)
    guard let first = alerts.first else {
      guard try context.transaction.alert(id, of: account) == nil else {
        throw Problem(.forbidden, "this alert is your own: its responders acknowledge it")
      }
      throw AlertsRoute.unknown
    }
    let active = alerts.filter(\.record.alert.isActive)
    guard !active.isEmpty else { throw Problem(.conflict, "the alert has ended: nobody needs to respond any more") }
    for alert in active { try acknowledge(alert, phone: phone, &context) }
    return .json(try AlertsRoute.single(active.first ?? first, responder: phone, context))
  }

  private static func acknowledge(
    _ alert: StoredAlert, phone: String, _ context: inout RequestContext
  ) throws(StorageError) {
    var needs = FactNeeds()
    needs.alerts = [alert.id]
    needs.contacts = true
    needs.deliveriesOfAlerts = [alert.id]
    needs.deliveryCounts = [alert.id]
    let (configuration, now, entropy) = (context.configuration, context.now, context.entropy)
    let (hasChanges, work) = try context.transaction.decide(about: alert.account, needs: needs) { state in
      AccountWork(configuration: configuration, now: now, state: state, entropy: entropy)
    } rules: { work in
      work.acknowledge(alert.id, byPhone: phone)
    }
    if hasChanges { context.changedAccounts.append(alert.account) }
    if work.hasQueuedDeliveries { context.hasNewDeliveries = true }
  }
}

extension AccountWork {
  /// The responders with this number acknowledge the alert. Says whether anything changed.
  fileprivate mutating func acknowledge(_ id: AlertID, byPhone phone: String) -> Bool {
    guard let alert = state.alert(id) else { return false }
    let responders = state.allContacts().filter { $0.details.isResponder && $0.details.phone == phone }
    let deliveries = state.deliveries(of: id)
    for contact in responders {
      acknowledge(alert, by: contact, deliveries.filter { $0.target.contact == contact.id })
    }
    let hasChanges = hasChanges
    finish()
    return hasChanges
  }

  /// Every message about the alert to this contact becomes acknowledged: what is queued need not be sent any more.
  private mutating func acknowledge(
    _ alert: StoredAlert, by contact: Contact, _ deliveries: [StoredDelivery]
  ) {
    let help = deliveries.filter { $0.notice == .activated }
    for delivery in help where delivery.state != .acknowledged {
      var acknowledged = delivery
      acknowledged.finish(.acknowledged, at: now)
      update(acknowledged, from: delivery)
      if delivery.isLeased { tellOfCallsSince(acknowledged, of: alert) }
      releaseSafe(behind: acknowledged)
    }
    guard help.isEmpty else { return }
    // Nobody was asked to tell them: they found out by themselves.
    let target = DeliveryTarget(account: account, alert: alert.id, contact: contact.id, channel: nil)
    insert(
      StoredDelivery(
        id: Identifier(versionSevenAt: now, random: entropy.words()), target: target,
        contactName: contact.details.name, notice: .activated, state: .acknowledged, stateAt: now, createdAt: now))
  }
}
