import Model
import PlantedBugs

// The messages of the news of an alert: help, and "safe" behind it.
extension AccountWork {
  /// From so many deliveries about one alert on, news is sent with the rows that are there and adds none.
  static let newsPerAlert = 2 * 100 * ContactDetails.maximumChannels
  /// The maximum number of deliveries about one alert, so that nobody fills the disk. What is beyond `newsPerAlert` is for the first help
  /// of each channel, which nothing holds back: a hundred contacts with all their channels fill half of it. Only a channel that was
  /// replaced keeps a row, so that it takes a thousand replaced channels during one alert until a new one is not told.
  private static let deliveriesPerAlert = 2 * newsPerAlert

  mutating func queueHelp(to contact: Contact, about alert: StoredAlert) {
    let hasRoom = state.deliveryCount(of: alert.id) < Self.deliveriesPerAlert
    let channels: [Channel?] = contact.details.channels.isEmpty ? [nil] : contact.details.channels
    for channel in channels {
      let target = DeliveryTarget(account: account, alert: alert.id, contact: contact.id, channel: channel)
      guard state.delivery(.activated, to: target) == nil else {
        queueAgain(target, contact.details.name)
        continue
      }
      if hasRoom {
        insert(delivery(.activated, to: target, name: contact.details.name, isDrill: alert.record.alert.isDrill))
      }
    }
  }

  /// Queues help for `target` again that was dropped, or is of an earlier number, and the "safe" behind it.
  private mutating func queueAgain(_ target: DeliveryTarget, _ name: String) {
    guard let help = state.delivery(.activated, to: target), help.isDropped || help.isOfEarlierNumber,
      configuration.reasonAgainst(target.channel) == nil
    else { return }
    if help.reason == Receipt.numberChangedReason {
      tellAnew(help, name)
    } else {
      var again = help
      again.contactName = name
      again.queueAgain(at: help.isLeased ? help.dueAt : now, now: now)
      update(again, from: help)
    }
    guard let safe = state.delivery(.deactivated, to: target), safe.isDropped else { return }
    var waiting = safe
    waiting.queueAgain(at: nil, now: now)
    update(waiting, from: safe)
  }

  /// Queues "safe" for the target of `help`. It waits while `help` is queued, and while a message beside it is on its way.
  mutating func queueSafe(after help: StoredDelivery) {
    var safe = delivery(
      .deactivated, to: help.target, name: help.contactName, isDrill: help.priority == .drill)
    if safe.state == .queued { settle(&safe, after: help) }
    insert(safe)
  }

  mutating func delivery(
    _ notice: Notice, to target: DeliveryTarget, name: String, isDrill: Bool
  ) -> StoredDelivery {
    let reason = configuration.reasonAgainst(target.channel)
    return StoredDelivery(
      id: Identifier(versionSevenAt: now, random: entropy.words()), target: target, contactName: name, notice: notice,
      priority: DeliveryPriority(notice, isDrill: isDrill),
      state: reason == nil ? .queued : .failed, stateAt: now, reason: reason, createdAt: now,
      dueAt: reason == nil ? now : nil)
  }

  /// Sets the state of "safe" by that of `help` to the same target.
  mutating func settle(_ safe: inout StoredDelivery, after help: StoredDelivery) {
    let isOnItsWay = state.deliveries(to: help.target).contains { $0.role != .news && $0.isLeased }
    safe.dueAt = now
    if help.state == .queued || isOnItsWay, !PlantedBug.safeBeforeHelp.isPlanted {
      safe.dueAt = nil
    } else if help.wasNeverTried, !state.wasTold(help.target) {
      safe.isDropped = help.isDropped
      safe.finish(.failed, reason: help.reason, at: now)
    } else if help.toldEnd, help.state != .failed {
      safe.finish(.sent, at: help.stateAt)
    }
  }

  /// Fails a delivery, and releases the "safe" behind it.
  mutating func fail(_ delivery: StoredDelivery, reason: String) {
    var failed = delivery
    failed.finish(.failed, reason: reason, at: now)
    update(failed, from: delivery)
    releaseSafe(behind: failed)
  }

  /// Releases the "safe" that waits behind `ended` and other calls for help to the same target, once none is under way.
  mutating func releaseSafe(behind ended: StoredDelivery) {
    guard ended.notice == .activated,
      let waiting = state.delivery(.deactivated, to: ended.target), waiting.state == .queued, !waiting.isLeased,
      let help = ended.role == .news ? ended : state.delivery(.activated, to: ended.target)
    else { return }
    var safe = waiting
    settle(&safe, after: help)
    update(safe, from: waiting)
  }

  /// Drops a delivery. A message that is on its way cannot be recalled, so its outcome is awaited. One that may have gone to the contact's
  /// earlier number stays of that number, for whatever it is dropped again: its outcome says nothing of the person with the new one.
  mutating func drop(_ delivery: StoredDelivery, reason: String) {
    guard !delivery.isForEarlierNumber else { return }
    var dropped = delivery
    dropped.isDropped = true
    guard delivery.isLeased else { return fail(dropped, reason: reason) }
    dropped.reason = reason
    update(dropped, from: delivery)
  }
}
