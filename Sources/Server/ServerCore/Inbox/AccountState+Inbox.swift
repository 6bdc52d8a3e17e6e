import Model
import PlantedBugs

extension AccountState {
  /// An alert in the account's inbox.
  mutating func inboxAlert(_ id: InboxID) -> StoredInboxAlert? {
    if let alert = inbox[id] { return alert }
    if !facts.needs.inbox.contains(id) { missing.inbox.insert(id) }
    return nil
  }

  /// Nil removes it.
  mutating func setInboxAlert(_ alert: StoredInboxAlert?, _ id: InboxID) {
    inbox[id] = alert
    changedInbox.insert(id)
  }

  /// Notes which alerts must be written into inboxes again: those that changed, or got an answer, and of which responders are told.
  mutating func noteInboxesDue() {
    if PlantedBug.inboxNeverUpdated.isPlanted, insertedAlerts.isEmpty { return }
    for id in changedAlerts where isChangedForInboxes(id) { noteInboxDue(id) }
    for id in insertedAlerts { noteInboxDue(id) }
    for response in changedResponses { noteInboxDue(response.alert) }
  }

  private mutating func noteInboxDue(_ id: AlertID) {
    if alerts[id]?.notifiedAt != nil { inboxDue.insert(id) }
  }

  /// Whether more has changed than when its device is next checked for silence.
  private func isChangedForInboxes(_ id: AlertID) -> Bool {
    guard var before = facts.alerts[id], let after = alerts[id] else { return true }
    before.silenceDueAt = after.silenceDueAt
    return before != after
  }
}
