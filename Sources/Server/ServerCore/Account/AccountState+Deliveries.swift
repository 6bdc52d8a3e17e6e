import Model
import Wire

extension AccountState {
  /// Adds the delivery to the indexes by alert and by contact.
  mutating func index(_ delivery: StoredDelivery) {
    deliveriesOfContacts[delivery.target.contact, default: []].append(delivery.id)
    deliveriesToContacts[AlertContact(delivery.target.alert, delivery.target.contact), default: []].append(delivery.id)
    deliveriesOfAlerts[delivery.target.alert, default: []].append(delivery.id)
  }

  mutating func delivery(_ id: DeliveryID) -> StoredDelivery? {
    if let delivery = deliveries[id] { return delivery }
    if !facts.needs.deliveries.contains(id) { missing.deliveries.insert(id) }
    return nil
  }

  /// The news for the newest call.
  mutating func delivery(_ notice: Notice, to target: DeliveryTarget) -> StoredDelivery? {
    deliveries(to: target).filter { $0.notice == notice && $0.role == .news }.max { $0.callNumber < $1.callNumber }
  }

  /// All to one target, by id.
  mutating func deliveries(to target: DeliveryTarget) -> [StoredDelivery] {
    deliveries(about: target.alert, to: target.contact).filter { $0.target == target }
  }

  /// All about one alert to one contact, by id.
  mutating func deliveries(about alert: AlertID, to contact: ContactID) -> [StoredDelivery] {
    let key = AlertContact(alert, contact)
    if !knowsDeliveries(of: alert), !facts.needs.deliveriesToContacts.contains(key) {
      missing.deliveriesToContacts.insert(key)
    }
    return (deliveriesToContacts[key] ?? []).compactMap { deliveries[$0] }
      .sorted { $0.id.words < $1.id.words }
  }

  /// Of one alert, by the contact's name, then by id.
  mutating func deliveries(of alert: AlertID) -> [StoredDelivery] {
    if !knowsDeliveries(of: alert) { missing.deliveriesOfAlerts.insert(alert) }
    return (deliveriesOfAlerts[alert] ?? []).compactMap { deliveries[$0] }
      .sorted { ($0.contactName, $0.id.description) < ($1.contactName, $1.id.description) }
  }

  private func knowsDeliveries(of alert: AlertID) -> Bool {
    isInserted(alert) || facts.needs.deliveriesOfAlerts.contains(alert)
  }

  mutating func deliveryCount(of alert: AlertID) -> Int {
    if let count = deliveryCounts[alert] { return count }
    missing.deliveryCounts.insert(alert)
    return 0
  }

  /// The number of queued deliveries of the account.
  mutating func openDeliveryCount() -> Int {
    if !facts.needs.openDeliveryCount { missing.openDeliveryCount = true }
    return openDeliveryCountNow
  }

  /// The queued deliveries to a contact, by id.
  mutating func openDeliveries(contact: ContactID) -> [StoredDelivery] {
    if !facts.needs.editedContacts.contains(contact) { missing.editedContacts.insert(contact) }
    return (deliveriesOfContacts[contact] ?? []).compactMap { deliveries[$0] }.filter { $0.state == .queued }
      .sorted { $0.id.words < $1.id.words }
  }

  /// False if there is one for this target, notice, role and call; then nothing changes.
  mutating func insertDelivery(_ delivery: StoredDelivery) -> Bool {
    let isTaken = deliveries(to: delivery.target)
      .contains {
        $0.notice == delivery.notice && $0.role == delivery.role && $0.callNumber == delivery.callNumber
      }
    guard !isTaken else { return false }
    deliveries[delivery.id] = delivery
    index(delivery)
    insertedDeliveries.append(delivery.id)
    newDeliveries.insert(delivery.id)
    if let count = deliveryCounts[delivery.target.alert] { deliveryCounts[delivery.target.alert] = count + 1 }
    if delivery.state == .queued { openDeliveryCountNow += 1 }
    return true
  }

  /// Replaces the delivery with this id. Does nothing if the facts do not have it.
  mutating func updateDelivery(_ delivery: StoredDelivery) {
    guard let earlier = deliveries[delivery.id] else { return }
    deliveries[delivery.id] = delivery
    if !newDeliveries.contains(delivery.id) { changedDeliveries.insert(delivery.id) }
    openDeliveryCountNow += (delivery.state == .queued ? 1 : 0) - (earlier.state == .queued ? 1 : 0)
  }

  /// Makes deliveries due that would be due by `latest`, unless they are leased or about `alert`.
  mutating func release(except alert: AlertID, dueUpTo latest: Timestamp, at now: Timestamp) {
    releases.append(WriteSet.HeldRelease(exceptAlert: alert, dueUpTo: latest, dueAt: now))
    for var delivery in deliveries.values where delivery.target.alert != alert {
      guard delivery.state == .queued, !delivery.isLeased, let due = delivery.dueAt, due > now, due <= latest else {
        continue
      }
      delivery.dueAt = now
      updateDelivery(delivery)
    }
  }

  /// Whether a call for help about the alert reached the target.
  mutating func wasTold(_ target: DeliveryTarget) -> Bool {
    deliveries(to: target).contains { $0.isHelp && $0.state.isTold }
  }
}

extension DeliveryState {
  /// The responder was reached.
  var isTold: Bool {
    switch self {
    case .sent, .seen, .acknowledged: true
    case .queued, .failed: false
    }
  }
}
