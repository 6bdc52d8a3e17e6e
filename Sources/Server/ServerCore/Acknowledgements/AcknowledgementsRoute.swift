import Model
import Wire

/// `POST /v1/alerts/{id}/acknowledgements`: a responder says "I am responding". Answers with the alert.
enum AcknowledgementsRoute {
  static func rule(_ input: RouteInput) throws(Problem) -> Rule<Caller> {
    guard let id = AlertID(input.parameters[0]) else { throw AlertsRoute.unknown }
    var facts = FactNeeds()
    facts.alerts = [id]
    facts.contacts = true
    facts.deliveriesOfAlerts = [id]
    facts.deliveryCounts = [id]
    var needs = RequestNeeds()
    needs.visibleAlert = VisibleAlertNeed(id, with: facts)
    return Rule(needs) { caller, work throws(Problem) in try acknowledge(id, caller, &work) }
  }

  private static func acknowledge(
    _ id: AlertID, _ caller: Caller, _ work: inout RequestWork
  ) throws(Problem) -> ServerResponse {
    // Ids are unique within an account only: alerts of two people may share one, and both are acknowledged.
    let alerts = work.facts.alertsNaming
    guard !alerts.isEmpty else {
      guard work.facts.ownAlert == nil else {
        throw Problem(.forbidden, "this alert is your own: its responders acknowledge it")
      }
      throw AlertsRoute.unknown
    }
    let active = alerts.filter(\.alert.record.alert.isActive)
    guard let first = active.first else {
      throw Problem(.conflict, "the alert has ended: nobody needs to respond any more")
    }
    let receipts = active.map { acknowledge($0.alert, phone: caller.account.phone, &work) }
    return AlertsRoute.single(first, receipts.first ?? [], now: work.now)
  }

  /// The caller's receipts afterwards.
  private static func acknowledge(_ alert: StoredAlert, phone: String, _ work: inout RequestWork) -> [Receipt] {
    let outcome = work.decide(about: alert.account) { work in
      let hasChanges = work.acknowledge(alert.id, byPhone: phone)
      return (
        writes: work.writeSet(), hasChanges: hasChanges, hasQueuedDeliveries: work.hasQueuedDeliveries,
        receipts: work.state.receipts(of: alert.id, responder: phone)
      )
    }
    work.writes.accounts.append(outcome.writes)
    if outcome.hasChanges { work.changedAccounts.append(alert.account) }
    if outcome.hasQueuedDeliveries { work.hasNewDeliveries = true }
    return outcome.receipts
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

  /// Marks every message about the alert to this contact as acknowledged: queued ones are no longer sent.
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
    // No message was queued for them: they found out by themselves.
    let target = DeliveryTarget(account: account, alert: alert.id, contact: contact.id, channel: nil)
    insert(
      StoredDelivery(
        id: Identifier(versionSevenAt: now, random: entropy.words()), target: target,
        contactName: contact.details.name, notice: .activated, state: .acknowledged, stateAt: now, createdAt: now))
  }
}
