import Model
import PlantedBugs

// Who is told of an alert, and through which channel.
extension AccountWork {
  /// Ends the alert, but tells no responder yet. False where it is unknown, or has ended before: the first end stands.
  mutating func end(_ id: AlertID, at time: Timestamp, correctedAt: Timestamp?) -> Bool {
    guard state.endAlert(id, endedAt: time, correctedAt: correctedAt, receivedAt: now) else { return false }
    observations.append(.ended(id))
    note(.alert, EntityID(id))
    stopAsking(about: id)
    if state.alert(id)?.record.alert.isDrill == false { releaseHeld(by: id) }
    return true
  }

  /// Queues the messages of a notification request. Existing ones stay as they are.
  mutating func tell(_ notice: Notice, of alert: StoredAlert) {
    switch notice {
    case .activated:
      markNotified(alert)
      startAsking(about: alert.id)
      for contact in toldResponders(of: alert) { queueHelp(to: contact, about: alert) }
      tellNextTierIfHopeless(of: alert)
    case .deactivated:
      // What stands in an inbox tells its end itself.
      for help in newestHelp(about: alert.id) where help.target.channel != .inbox {
        endBackoff(of: help, for: alert)
        queueSafe(after: help)
      }
      // Raised and ended before anybody was told: the responders are told of both at once.
      guard alert.notifiedAt == nil else { return }
      let responders = responders(to: alert)
      if !responders.isEmpty { markNotified(alert) }
      for contact in responders { queueHelp(to: contact, about: alert) }
    }
  }

  /// Tells of an update of an active alert. A queued message will include it, and is due now; responders who were told are told
  /// again if the update says something new.
  mutating func tellOfUpdate(of alert: StoredAlert, isNews: Bool, isCall: Bool) {
    let wasNotified = alert.notifiedAt != nil
    markNotified(alert)
    if isCall || !wasNotified { startAsking(about: alert.id) }
    for contact in toldResponders(of: alert) {
      queueHelp(to: contact, about: alert)
      guard wasNotified, !PlantedBug.updateUntold.isPlanted else { continue }
      for channel in contact.details.channels {
        let target = DeliveryTarget(account: account, alert: alert.id, contact: contact.id, channel: channel)
        if !isNews { countAsTold(target, of: alert) }
        tellAgain(target, of: alert, isNews: isNews)
      }
    }
  }

  /// Has a message on its way that said everything count as one that says the newest update too, of which nobody is to be told again:
  /// otherwise it would be sent again as soon as it has arrived.
  private mutating func countAsTold(_ target: DeliveryTarget, of alert: StoredAlert) {
    guard let help = state.delivery(.activated, to: target), help.isLeased, help.toldCall == alert.updateCount - 1
    else {
      return
    }
    var told = help
    told.toldCall = alert.updateCount
    update(told, from: help)
  }

  /// Queues help again for a target that was told of an older call, or failed, if the newest call `isNews`. While a message is on
  /// its way this waits for its end, so that the newest call arrives last.
  private mutating func tellAgain(
    _ target: DeliveryTarget, of alert: StoredAlert, isNews: Bool
  ) {
    guard let help = state.delivery(.activated, to: target), help.toldCall < alert.updateCount else { return }
    let reason = configuration.reasonAgainst(target.channel)
    if help.state == .queued {
      guard let reason, !help.isLeased else { return endBackoff(of: help, for: alert) }
      return fail(help, reason: reason)
    }
    // An unsupported channel fails this call too, unless its latest receipt says so already.
    guard isNews, reason == nil || help.state != .failed else { return }
    guard state.deliveryCount(of: alert.id) < Self.newsPerAlert, help.callNumber < alert.updateCount else {
      // At the limit of news, or queued for this call already: the same one is sent again.
      var again = help
      again.queueAgain(at: now, now: now)
      return update(again, from: help)
    }
    var again = delivery(.activated, to: target, name: help.contactName, isDrill: alert.record.alert.isDrill)
    again.callNumber = alert.updateCount
    insert(again)
  }

  /// Makes `help` due if it backs off after an attempt that said less than is known now. A wait longer than any backoff
  /// was requested by the host, and stays.
  private mutating func endBackoff(of help: StoredDelivery, for alert: StoredAlert) {
    guard help.state == .queued, !help.isLeased, help.isOutdated(by: alert), let due = help.dueAt, due > now else {
      return
    }
    let longest = DeliveryVerdict.backoff(
      ageMilliseconds: now.milliseconds(since: help.createdAt), isUrgent: true, policy: configuration.deliveries
    ).capMilliseconds
    guard due.milliseconds(since: now) <= longest else { return }
    var sooner = help
    sooner.dueAt = now
    update(sooner, from: help)
  }

  /// After `alert` has ended: if it was the account's last active call for help, messages that were held for it become due. A wait
  /// longer than the hold was requested by a host, and stays.
  mutating func releaseHeld(by alert: AlertID) {
    guard !state.isCallingForHelp() else { return }
    let latest = now.advanced(byMilliseconds: configuration.deliveries.holdMilliseconds)
    state.release(except: alert, dueUpTo: latest, at: now)
    hasQueuedDeliveries = true
  }

  /// After `help` was sent or failed: tells of calls that came while it was on its way.
  mutating func tellOfCallsSince(_ help: StoredDelivery, of alert: StoredAlert?) {
    guard help.notice == .activated, help.role == .news, !help.isDropped, let alert, alert.record.alert.isActive else {
      return
    }
    tellAgain(help.target, of: alert, isNews: true)
  }

  /// The newest help of each target.
  private mutating func newestHelp(about alert: AlertID) -> [StoredDelivery] {
    var newest: [DeliveryTarget: StoredDelivery] = [:]
    var targets: [DeliveryTarget] = []
    for delivery in state.deliveries(of: alert) where delivery.notice == .activated && delivery.role == .news {
      if let known = newest[delivery.target] {
        if known.callNumber > delivery.callNumber { continue }
      } else {
        targets.append(delivery.target)
      }
      newest[delivery.target] = delivery
    }
    return targets.compactMap { newest[$0] }
  }

  mutating func responders() -> [Contact] {
    state.allContacts().filter(\.details.isResponder)
  }

  private mutating func responders(to alert: StoredAlert) -> [Contact] {
    responders().filter { alert.record.alert.isFor($0.id) }
  }

  private mutating func markNotified(_ alert: StoredAlert) {
    guard alert.notifiedAt == nil else { return }
    state.setNotified(alert.id, at: now)
  }
}
