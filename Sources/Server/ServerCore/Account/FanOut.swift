import Model
import PlantedBugs

// Who is told of an alert, and through which channel.
extension AccountWork {
  /// From so many deliveries about one alert on, news is sent with the rows that are there and adds none.
  private static let newsPerAlert = 2 * 100 * ContactDetails.maximumChannels
  /// The maximum number of deliveries about one alert, so that nobody fills the disk. What is beyond `newsPerAlert` is for the first help
  /// of each channel, which nothing holds back: a hundred contacts with all their channels fill half of it. Only a channel that was
  /// replaced keeps a row, so that it takes a thousand replaced channels during one alert until a new one is not told.
  private static let deliveriesPerAlert = 2 * newsPerAlert
  /// How many of the newest alerts are considered for `untoldEndMilliseconds`.
  private static let endedAlerts = 10
  /// How long after its end an alert of which nobody was told is still told to a new responder: a server that lost its
  /// data gets the alert back before the contacts.
  private static let untoldEndMilliseconds: Int64 = 24 * 3600 * 1000

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

  /// Drops what is queued for channels that the contact no longer has, and tells them of alerts through the ones they have.
  /// - Parameter isAnotherPerson: its number was changed.
  mutating func tellAfterEdit(of contact: ContactID, isAnotherPerson: Bool) {
    let details = state.contact(contact)
    dropDeliveries(of: contact, except: details)
    if isAnotherPerson, let details { welcome(Contact(id: contact, details: details)) }
    if details?.isResponder != true || isAnotherPerson { checkWhoComes() }
    if let details { tellOfAlerts(Contact(id: contact, details: details)) }
    postAgain()
  }

  /// Forgets what the person with the earlier number said about active alerts, and tells the one with the new number of them, whose link is
  /// another.
  private mutating func welcome(_ contact: Contact) {
    let reason = Receipt.numberChangedReason
    for alert in state.activeAlerts(limit: AccountState.activeAlertLimit) {
      state.removeResponse(of: contact.id, to: alert.id)
      let isTold = contact.details.isResponder && alert.notifiedAt != nil && alert.isTold(contact)
      for delivery in state.deliveries(about: alert.id, to: contact.id) where delivery.notice == .activated {
        switch delivery.role {
        case .news where isTold && isNewestHelp(delivery, to: contact): tellAnew(delivery, contact.details.name)
        case .news where delivery.state.isTold, .reminder where delivery.state.isTold,
          .reminder where delivery.isShownAsSent && !delivery.isLeased:
          leaveToEarlierPerson(delivery)
        case .news where delivery.isLeased, .reminder where delivery.state == .queued,
          .check where delivery.state == .queued, .relief where delivery.state == .queued:
          drop(delivery, reason: reason)
        case .news, .reminder, .check, .relief: break
        }
      }
    }
  }

  /// Whether it is the newest by a channel that the contact has and that can be used.
  private mutating func isNewestHelp(_ delivery: StoredDelivery, to contact: Contact) -> Bool {
    guard let channel = delivery.target.channel, contact.details.channels.contains(channel),
      configuration.reasonAgainst(channel) == nil
    else { return false }
    return state.delivery(.activated, to: delivery.target)?.id == delivery.id
  }

  /// Keeps what the earlier person was told as what it was, and has it say nothing of the one with the new number. That an answer was given
  /// is taken back.
  mutating func leaveToEarlierPerson(_ help: StoredDelivery) {
    var left = help
    if help.state == .acknowledged { left.finish(.seen, at: now) }
    left.leaveToEarlierPerson()
    update(left, from: help)
  }

  /// Queues help again at once as though nobody had been told. An attempt that is under way is for the earlier person, so it is superseded:
  /// the next number of an attempt is taken here, and its answer changes nothing.
  private mutating func tellAnew(_ help: StoredDelivery, _ name: String) {
    var again = help
    again.contactName = name
    if help.isLeased {
      again.isLeased = false
      again.attempts += 1
    }
    again.queueAgain(at: now, now: now)
    again.createdAt = now
    again.refusals = 0
    update(again, from: help)
  }

  /// Has the active alerts written into inboxes again: who is told has changed, or the person's name.
  mutating func postAgain() {
    let active = state.activeAlerts(limit: AccountState.activeAlertLimit)
    state.inboxDue.formUnion(active.filter { $0.notifiedAt != nil }.map(\.id))
  }

  /// Tells a new responder, or one with a new channel, of the active alerts that were notified, and of recently ended ones of which
  /// nobody was told.
  private mutating func tellOfAlerts(_ contact: Contact) {
    guard contact.details.isResponder else { return }
    let active = state.activeAlerts(limit: AccountState.activeAlertLimit)
    for alert in active where alert.notifiedAt != nil && alert.isTold(contact) {
      queueHelp(to: contact, about: alert)
    }
    for alert in active { askSooner(about: alert, for: contact) }
    let newest = state.newestAlerts(limit: Self.endedAlerts)
    for alert in newest where isUntoldEnd(alert) { queueHelp(to: contact, about: alert) }
  }

  private func isUntoldEnd(_ alert: StoredAlert) -> Bool {
    guard alert.notifiedAt == nil, !alert.record.alert.isDrill, let endedAt = alert.record.alert.endedAt else {
      return false
    }
    return now.milliseconds(since: alert.correctedEndedAt ?? endedAt) < Self.untoldEndMilliseconds
  }

  /// Drops the help that is queued for a contact who was removed (`details` nil), is no longer a responder, or lost the
  /// channel, until they are back. "Safe" is still sent to everybody who was sent help.
  private mutating func dropDeliveries(of contact: ContactID, except details: ContactDetails?) {
    for delivery in state.openDeliveries(contact: contact)
    where delivery.notice == .activated {
      let reason: String? =
        if details == nil {
          "the contact was removed"
        } else if details?.isResponder == false {
          "the contact is no responder any more"
        } else if let channel = delivery.target.channel, details?.channels.contains(channel) == false {
          "the channel was removed"
        } else { nil }
      if let reason { drop(delivery, reason: reason) }
    }
  }

  /// Drops a delivery. A message that is on its way cannot be recalled, so its outcome is awaited.
  mutating func drop(_ delivery: StoredDelivery, reason: String) {
    var dropped = delivery
    dropped.isDropped = true
    guard delivery.isLeased else { return fail(dropped, reason: reason) }
    dropped.reason = reason
    update(dropped, from: delivery)
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
  private mutating func queueSafe(after help: StoredDelivery) {
    var safe = delivery(
      .deactivated, to: help.target, name: help.contactName, isDrill: help.priority == .drill)
    if safe.state == .queued { settle(&safe, after: help) }
    insert(safe)
  }

  private mutating func delivery(
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
}
