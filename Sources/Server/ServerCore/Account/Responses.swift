import Model
import Wire

// What responders do about an alert.
extension AccountWork {
  /// Records the answer of a responder, and when it was last confirmed. One that says that they come acknowledges the alert: messages to
  /// them that are still queued are not sent, unless the person called again while one was on its way. One that says that they do not come
  /// is told too: nobody may wait for them.
  ///
  /// - Parameters:
  ///   - channel: that of the contact whose link they answered through, where that is known: each channel has a link of its own in a drill.
  ///     Then the answer acknowledges the messages of that channel alone, and the channel is tested.
  ///   - time: when they answered; nil for now.
  mutating func take(
    _ answer: ResponderAnswer, _ text: String?, of contact: Contact, about alert: StoredAlert,
    through channel: Channel? = nil, at time: Timestamp? = nil
  ) {
    let time = time ?? now
    let isFirst = !state.responses(to: alert.id).values.contains(where: \.answer.acknowledges)
    let earlier = state.response(of: contact.id, to: alert.id)
    let kept = earlier?.answer == answer ? earlier?.text : nil
    let response = StoredResponse(
      account: account, alert: alert.id, contact: contact.id, answer: answer, text: text ?? kept, at: time)
    let isConfirmed = answer.acknowledges && earlier.map { confirms(time, $0) } ?? true
    if earlier?.answer != answer || text != nil && earlier?.text != text || isConfirmed { state.put(response) }
    // Again too: messages about later calls may have followed.
    if answer.acknowledges {
      if isFirst {
        let milliseconds = max(0, now.milliseconds(since: alert.record.receivedAt))
        let isDrill = alert.record.alert.isDrill
        observations.append(.acknowledged(alert.id, isDrill: isDrill, milliseconds: milliseconds))
      }
      acknowledge(alert, by: contact, response, through: channel)
      if let channel, channel != .inbox { noteTest(of: channel, of: contact, in: alert) }
    } else {
      decline(answer, of: contact, about: alert)
    }
    react(to: answer, of: contact, about: alert.id, at: time)
  }

  /// Whether the same answer at `time` says more than that a form was sent twice.
  private func confirms(_ time: Timestamp, _ earlier: StoredResponse) -> Bool {
    // One from the future is from before the clock was set back.
    !(0..<StoredResponse.confirmationMilliseconds).contains(time.milliseconds(since: earlier.at))
  }

  /// Notes that a channel reached its person, and ends a test of one responder after the last of their channels.
  private mutating func noteTest(of channel: Channel, of contact: Contact, in alert: StoredAlert) {
    state.setTested(channel, of: contact.id, at: now)
    note(.contact, EntityID(contact.id))
    guard alert.record.alert.onlyContact == contact.id,
      // A call has no link to press on, and an inbox is no channel of the contact.
      help(about: alert, to: contact).allSatisfy({
        $0.state == .acknowledged || $0.state == .failed || [.voice, .app].contains($0.target.channel?.kind)
      })
    else { return }
    let end = max(now, alert.record.alert.startedAt)
    if state.endAlert(alert.id, endedAt: end, correctedAt: alert.correctedStartedAt.map { _ in now }, receivedAt: now) {
      note(.alert, EntityID(alert.id))
      observations.append(.ended(alert.id))
    }
  }

  /// Marks the messages that reached the responder as seen, with the answer as the reason why nobody comes.
  private mutating func decline(_ answer: ResponderAnswer, of contact: Contact, about alert: StoredAlert) {
    guard let reason = answer.receiptReason else { return }
    noteSeen(alert, by: contact)
    for delivery in help(about: alert, to: contact) where delivery.state.isTold && delivery.reason != reason {
      var seen = delivery
      seen.finish(.seen, reason: reason, at: now)
      update(seen, from: delivery)
    }
  }

  /// Marks the messages that reached the responder as seen; those of one `channel`, where it is known that they looked there.
  mutating func noteSeen(_ alert: StoredAlert, by contact: Contact, through channel: Channel? = nil) {
    for delivery in state.unseen(alert.id, by: contact.id, through: channel) {
      raise(delivery, to: .seen, nil, alert)
    }
  }

  /// Marks every call for help to the responder as acknowledged, with what they said: queued ones are no longer sent.
  private mutating func acknowledge(
    _ alert: StoredAlert, by contact: Contact, _ response: StoredResponse, through channel: Channel?
  ) {
    let help = help(about: alert, to: contact).filter { channel == nil || $0.target.channel == channel }
    for delivery in help where delivery.state != .acknowledged || delivery.reason != response.words {
      raise(delivery, to: .acknowledged, response.words, alert)
    }
    guard help.isEmpty else { return }
    // No message was queued for them: they found out by themselves.
    let target = DeliveryTarget(account: account, alert: alert.id, contact: contact.id, channel: channel)
    insert(
      StoredDelivery(
        id: Identifier(versionSevenAt: now, random: entropy.words()), target: target,
        contactName: contact.details.name, notice: .activated, state: .acknowledged, stateAt: now,
        reason: response.words, createdAt: now))
  }

  private mutating func help(about alert: StoredAlert, to contact: Contact) -> [StoredDelivery] {
    state.help(about: alert.id, to: contact.id)
  }

  private mutating func raise(
    _ delivery: StoredDelivery, to reached: DeliveryState, _ reason: String?, _ alert: StoredAlert
  ) {
    var raised = delivery
    raised.finish(reached, reason: reason, at: now)
    update(raised, from: delivery)
    if delivery.isLeased { tellOfCallsSince(raised, of: alert) }
    releaseSafe(behind: raised)
  }
}

extension AccountState {
  /// The calls for help to the contact, without those that reached an earlier number.
  mutating func help(about alert: AlertID, to contact: ContactID) -> [StoredDelivery] {
    deliveries(about: alert, to: contact).filter { $0.isHelp && !$0.isOfEarlierNumber }
  }

  /// The messages that the contact has, and has not seen; those of one `channel`, where that is given. Where none is known to have reached
  /// them, one that was tried must have: they may open its link before the channel's answer is recorded. What waits for its next attempt
  /// after one that failed is still sent.
  mutating func unseen(_ alert: AlertID, by contact: ContactID, through channel: Channel?) -> [StoredDelivery] {
    let help = help(about: alert, to: contact).filter { channel == nil || $0.target.channel == channel }
    let sent = help.filter { $0.state == .sent }
    guard !help.contains(where: { $0.state.isTold && !$0.isUnopenedInbox }) else { return sent }
    return sent + help.filter { $0.state == .queued && $0.attempts > 0 && ($0.isLeased || $0.reason == nil) }
  }

  mutating func response(of contact: ContactID, to alert: AlertID) -> StoredResponse? {
    needResponses(to: alert)
    return responses[AlertContact(alert, contact)]
  }

  /// By contact.
  mutating func responses(to alert: AlertID) -> [ContactID: StoredResponse] {
    needResponses(to: alert)
    let found = responses.values.filter { $0.alert == alert }
    return Dictionary(found.map { ($0.contact, $0) }) { first, _ in first }
  }

  private mutating func needResponses(to alert: AlertID) {
    if !facts.needs.responses.contains(alert), !isInserted(alert) { missing.responses.insert(alert) }
  }

  mutating func put(_ response: StoredResponse) {
    let key = AlertContact(response.alert, response.contact)
    responses[key] = response
    changedResponses.insert(key)
  }

  /// Removes the answer, if there is one.
  mutating func removeResponse(of contact: ContactID, to alert: AlertID) {
    let key = AlertContact(alert, contact)
    responses[key] = nil
    changedResponses.insert(key)
  }

  /// The newest places of the alert's updates, newest first.
  mutating func track(of alert: AlertID) -> [TrackPoint] {
    if !facts.needs.tracks.contains(alert) { missing.tracks.insert(alert) }
    return facts.tracks[alert] ?? []
  }

  /// What the alert's newest further calls said, newest first.
  mutating func words(of alert: AlertID) -> [SaidWords] {
    if !facts.needs.words.contains(alert) { missing.words.insert(alert) }
    return facts.words[alert] ?? []
  }

  /// Nil where no update of the alert told a place.
  mutating func newestPlace(of alert: AlertID) -> NewestPlace? {
    if !facts.needs.newestPlaces.contains(alert) { missing.newestPlaces.insert(alert) }
    return facts.newestPlaces[alert]
  }

  /// When the device was last heard from, as far as is known.
  mutating func lastContact(of device: DeviceID) -> Timestamp? {
    if !facts.needs.lastContacts.contains(device) { missing.lastContacts.insert(device) }
    return facts.lastContacts[device]
  }
}
