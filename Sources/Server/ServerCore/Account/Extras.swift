import Model
import PlantedBugs

// Messages beside the news: reminders, checks and relief. Each has one row for each target, which is queued again for each round, so that
// a long alert adds no rows.
extension AccountWork {
  /// Queues one by the contact's next channel that can be used: that of the asking's `round`. Does nothing if all that they have are
  /// still being tried.
  mutating func queueExtra(_ role: DeliveryRole, to contact: Contact, about alert: StoredAlert, round: Int) {
    let targets = contact.details.channels.filter { configuration.reasonAgainst($0) == nil }.map {
      DeliveryTarget(account: account, alert: alert.id, contact: contact.id, channel: $0)
    }
    if PlantedBug.reminderStopsAtSent.isPlanted, role == .reminder, targets.contains(where: { state.wasTold($0) }) {
      return
    }
    let free = targets.filter { target in !state.deliveries(to: target).contains { $0.state == .queued } }
    // A channel that failed is tried again only where there is no other.
    let working = free.filter { state.delivery(.activated, to: $0)?.state != .failed }
    let choices = working.isEmpty ? free : working
    guard !choices.isEmpty else { return }
    queueExtra(role, to: choices[round % choices.count], contact.details.name)
  }

  /// After an attempt that failed and is tried again: whoever is asked through this channel is asked through another one as well, at once
  /// and not only with the next round, which may be ten minutes later.
  ///
  /// - Parameter delivery: as it was before the attempt.
  mutating func askThroughAnother(than delivery: StoredDelivery, about alert: StoredAlert?) {
    let isFirstFailure = delivery.reason == nil
    guard isFirstFailure, delivery.role == .reminder || delivery.role == .check, !delivery.isDropped,
      !PlantedBug.reminderWaitsForItsChannel.isPlanted, let alert, let asking = alert.asking,
      let contact = responders().first(where: { $0.id == delivery.target.contact })
    else { return }
    queueExtra(delivery.role, to: contact, about: alert, round: asking.round + 1)
  }

  private mutating func queueExtra(_ role: DeliveryRole, to target: DeliveryTarget, _ name: String) {
    guard let known = state.deliveries(to: target).first(where: { $0.role == role }) else {
      var extra = StoredDelivery(
        id: Identifier(versionSevenAt: now, random: entropy.words()), target: target, contactName: name,
        notice: .activated, priority: .extra, state: .queued, stateAt: now, createdAt: now, dueAt: now)
      extra.role = role
      extra.round = 1
      insert(extra)
      return
    }
    var again = known
    again.contactName = name
    again.queueAgain(at: now, now: now)
    again.round += 1
    update(again, from: known)
  }

  /// Takes back what is queued of these roles; all contacts if `contact` is nil. A message that is on its way cannot be recalled.
  mutating func dropExtras(
    about alert: AlertID, _ roles: Set<DeliveryRole>, to contact: ContactID? = nil, because reason: String
  ) {
    for delivery in state.deliveries(of: alert)
    where roles.contains(delivery.role) && delivery.state == .queued
      && (contact == nil || delivery.target.contact == contact)
    {
      drop(delivery, reason: reason)
    }
  }
}
