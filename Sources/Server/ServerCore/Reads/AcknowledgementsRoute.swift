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
    var work = try AccountWork(
      account: alert.account, configuration: context.configuration, now: context.now,
      transaction: context.transaction, entropy: context.entropy)
    let contacts = try context.transaction.contacts(of: alert.account)
      .filter { $0.details.isResponder && $0.details.phone == phone }
    let deliveries = try context.transaction.deliveries(of: alert.id, account: alert.account)
    for contact in contacts {
      try work.acknowledge(alert, by: contact, deliveries.filter { $0.target.contact == contact.id })
    }
    if try work.finish() { context.changedAccounts.append(alert.account) }
    if work.hasQueuedDeliveries { context.hasNewDeliveries = true }
  }
}

extension AccountWork {
  /// Every message about the alert to this contact becomes acknowledged: what is queued need not be sent any more.
  fileprivate mutating func acknowledge(
    _ alert: StoredAlert, by contact: Contact, _ deliveries: [StoredDelivery]
  ) throws(StorageError) {
    let help = deliveries.filter { $0.notice == .activated }
    for delivery in help where delivery.state != .acknowledged {
      var acknowledged = delivery
      acknowledged.finish(.acknowledged, at: now)
      try update(acknowledged, from: delivery)
      if delivery.isLeased { try tellOfCallsSince(acknowledged, of: alert) }
      try releaseSafe(behind: acknowledged)
    }
    guard help.isEmpty else { return }
    // Nobody was asked to tell them: they found out by themselves.
    let target = DeliveryTarget(account: account, alert: alert.id, contact: contact.id, channel: nil)
    try insert(
      StoredDelivery(
        id: Identifier(versionSevenAt: now, random: entropy.words()), target: target,
        contactName: contact.details.name, notice: .activated, state: .acknowledged, stateAt: now, createdAt: now))
  }
}
