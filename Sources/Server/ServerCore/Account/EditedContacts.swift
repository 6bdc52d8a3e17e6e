import Model

// What an edit of a contact changes of the messages to them.
extension AccountWork {
  /// How many of the newest alerts are considered for `untoldEndMilliseconds`.
  private static let endedAlerts = 10
  /// How long after its end an alert of which nobody was told is still told to a new responder: a server that lost its
  /// data gets the alert back before the contacts.
  private static let untoldEndMilliseconds: Int64 = 24 * 3600 * 1000

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
  mutating func tellAnew(_ help: StoredDelivery, _ name: String) {
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
}
