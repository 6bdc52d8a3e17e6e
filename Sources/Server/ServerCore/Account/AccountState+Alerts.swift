import Model
import Wire

extension AccountState {
  mutating func alert(_ id: AlertID) -> StoredAlert? {
    if let alert = alerts[id] { return alert }
    if !facts.needs.alerts.contains(id) { missing.alerts.insert(id) }
    return nil
  }

  /// False if the account already has an alert with this id; then nothing changes.
  mutating func insertAlert(_ alert: StoredAlert) -> Bool {
    guard self.alert(alert.id) == nil else { return false }
    alerts[alert.id] = alert
    insertedAlerts.append(alert.id)
    deliveryCounts[alert.id] = 0
    return true
  }

  private mutating func change(_ id: AlertID, _ change: (inout StoredAlert) -> Void) {
    guard var alert = alert(id) else { return }
    change(&alert)
    alerts[id] = alert
    if !isInserted(id) { changedAlerts.insert(id) }
  }

  /// Whether this decision inserted it. Then the store has nothing about it.
  func isInserted(_ id: AlertID) -> Bool { insertedAlerts.contains(id) }

  /// Sets the end; false if the alert has ended before or is unknown.
  /// - Parameter correctedAt: The end by the server's clock, if the device's was wrong.
  mutating func endAlert(
    _ id: AlertID, endedAt: Timestamp, correctedAt: Timestamp?, receivedAt: Timestamp
  ) -> Bool {
    guard alert(id)?.record.alert.isActive == true else { return false }
    change(id) { alert in
      let started = alert.record.alert
      alert.record.alert = Alert(
        id: started.id, startedAt: started.startedAt, endedAt: endedAt, message: started.message,
        location: started.location, isDrill: started.isDrill, onlyContact: started.onlyContact)
      alert.record.endReceivedAt = receivedAt
      alert.correctedEndedAt = correctedAt
      alert.silenceDueAt = nil
      alert.silentSince = nil
    }
    return true
  }

  /// Adds an update, and shows `newest` as the alert's newest.
  mutating func insertUpdate(_ update: StoredUpdate, _ newest: NewestUpdate) {
    insertedUpdates.append(update)
    change(update.alert) { alert in
      alert.updateCount = update.number
      alert.record.newestUpdate = newest
    }
  }

  /// Whether another device updated the alert after the newest update that was seen. Unknown updates are ignored.
  mutating func hasUpdate(after seen: SeenUpdates) -> Bool {
    // Updates of this exchange come from the same device, and are newer than all stored ones.
    if isInserted(seen.alert) { return false }
    if insertedUpdates.contains(where: { $0.alert == seen.alert && seen.updates.contains($0.id) }) { return false }
    if let answer = facts.newerUpdates[seen] { return answer }
    missing.newerUpdates.insert(seen)
    return false
  }

  /// Sets where the asking of its responders stands.
  mutating func set(_ asking: Asking?, of id: AlertID) {
    change(id) { $0.asking = asking }
  }

  /// Has the raising device checked for silence at `dueAt`, or not at all, and says since when it is silent.
  mutating func setSilence(since: Timestamp?, dueAt: Timestamp?, of id: AlertID) {
    change(id) { alert in
      alert.silentSince = since
      alert.silenceDueAt = dueAt
    }
  }

  /// The alerts that the device raised and of which inboxes say that it is silent.
  mutating func silentAlerts(of device: DeviceID) -> [StoredAlert] {
    if !facts.needs.silentAlerts.contains(device) { missing.silentAlerts.insert(device) }
    return facts.silentAlerts.compactMap { alerts[$0] }.filter { $0.device == device && $0.silentSince != nil }
  }

  /// Records when notification of the responders was first requested.
  mutating func setNotified(_ id: AlertID, at time: Timestamp) {
    change(id) { $0.notifiedAt = time }
  }

  /// Up to `limit` active alerts, newest first.
  mutating func activeAlerts(limit: Int) -> [StoredAlert] {
    // Alerts that end in this decision make room for older ones.
    let needed = limit + changedAlerts.count
    if facts.needs.activeAlerts < needed { missing.activeAlerts = max(missing.activeAlerts, needed) }
    return newestFirst(facts.activeAlerts + insertedAlerts, limit) { $0.record.alert.isActive }
  }

  /// Up to `limit` alerts, newest first.
  mutating func newestAlerts(limit: Int) -> [StoredAlert] {
    if facts.needs.newestAlerts < limit { missing.newestAlerts = max(missing.newestAlerts, limit) }
    return newestFirst(facts.newestAlerts + insertedAlerts, limit) { _ in true }
  }

  private func newestFirst(_ ids: [AlertID], _ limit: Int, _ includes: (StoredAlert) -> Bool) -> [StoredAlert] {
    let alerts = ids.compactMap { self.alerts[$0] }.filter(includes)
    return Array(alerts.sorted { $0.record.ordinal > $1.record.ordinal }.prefix(limit))
  }

  /// The real active alerts of which responders were to be told, newest first.
  mutating func activeCalls() -> [StoredAlert] {
    activeAlerts(limit: Self.activeAlertLimit).filter { !$0.record.alert.isDrill && $0.notifiedAt != nil }
  }

  /// Whether a real alert is active of which responders were to be told.
  mutating func isCallingForHelp() -> Bool { !activeCalls().isEmpty }

  /// How many active alerts of an account are considered.
  static let activeAlertLimit = 100
}

// Contacts

extension AccountState {
  /// By id.
  mutating func allContacts() -> [Contact] {
    if !facts.needs.contacts { missing.contacts = true }
    if let sortedContacts { return sortedContacts }
    let sorted = contacts.map { Contact(id: $0.key, details: $0.value) }.sorted { $0.id.words < $1.id.words }
    sortedContacts = sorted
    return sorted
  }

  mutating func contact(_ id: ContactID) -> ContactDetails? {
    if !facts.needs.contacts, !facts.needs.namedContacts.contains(id) { missing.namedContacts.insert(id) }
    return contacts[id]
  }

  /// An edit of a channel's URL makes it untested, and forgets that it failed.
  mutating func putContact(_ contact: Contact) {
    contacts[contact.id] = contact.details
    changedContacts.insert(contact.id)
    tested[contact.id] = tested[contact.id]?.among(contact.details.channels)
    failed[contact.id] = failed[contact.id]?.among(contact.details.channels)
  }

  /// The contact answered a drill through this channel of theirs, which works then.
  mutating func setTested(_ channel: Channel, of contact: ContactID, at time: Timestamp) {
    guard self.contact(contact)?.channels.contains(channel) == true else { return }
    tested[contact] = (tested[contact] ?? []).adding(channel, at: time)
    failed[contact] = failed[contact]?.removing(channel)
  }

  /// A message over this channel of theirs failed for good. False if that says nothing new.
  mutating func setFailed(
    _ channel: Channel, of contact: ContactID, because reason: String, at time: Timestamp
  ) -> Bool {
    guard self.contact(contact)?.channels.contains(channel) == true else { return false }
    let earlier = failed[contact] ?? []
    let now = earlier.adding(channel, at: time, because: reason)
    failed[contact] = now
    return now != earlier
  }

  /// A message over this channel got through. False if none had failed.
  mutating func setWorking(_ channel: Channel, of contact: ContactID) -> Bool {
    if !facts.needs.contacts, !facts.needs.namedContacts.contains(contact),
      !facts.needs.failedChannels.contains(contact)
    {
      missing.failedChannels.insert(contact)
    }
    guard let earlier = failed[contact] else { return false }
    failed[contact] = earlier.removing(channel)
    return failed[contact] != earlier
  }

  /// What the person says of themselves.
  var profile: Profile? { changedProfile ?? facts.record?.profile }

  /// False if there was none.
  mutating func removeContact(_ id: ContactID) -> Bool {
    guard contact(id) != nil else { return false }
    contacts[id] = nil
    tested[id] = nil
    failed[id] = nil
    changedContacts.insert(id)
    return true
  }
}
