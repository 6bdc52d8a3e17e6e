import Model
import PlantedBugs

// Asks responders again until somebody comes. Drills are told once.
extension AccountWork {
  /// Begins to ask about an alert of which its responders are told now. A further call begins it again where it was over.
  mutating func startAsking(about alert: AlertID) {
    guard let stored = state.alert(alert), stored.isAskedAbout else { return }
    guard var asking = stored.asking else {
      let tier = responders().map(\.details.tier).min() ?? 1
      return state.set(Asking(tier: tier, at: now), of: alert)
    }
    guard asking.phase == .over else { return }
    asking.begin(at: now)
    state.set(asking, of: alert)
  }

  /// The responders who are told of the alert.
  mutating func toldResponders(of alert: StoredAlert) -> [Contact] {
    let current = state.alert(alert.id) ?? alert
    return responders().filter(current.isTold)
  }

  /// Ends the asking: the alert is over.
  mutating func stopAsking(about alert: AlertID) {
    guard state.alert(alert)?.asking != nil else { return }
    state.set(nil, of: alert)
    dropExtras(about: alert, [.reminder, .check, .relief], because: "the alert has ended")
  }

  /// The step that is due.
  mutating func ask(about id: AlertID) {
    guard let alert = state.alert(id), var asking = alert.asking else { return }
    guard alert.isAskedAbout else { return state.set(nil, of: id) }
    let coming = coming(to: id)
    let fresh = coming.filter { $0.response.isFresh(at: now) || PlantedBug.silentResponderTrusted.isPlanted }
    if let newest = fresh.map(\.response.at).max() {
      asking.answer(at: PlantedBug.silentResponderTrusted.isPlanted ? now : newest)
      return state.set(asking, of: id)
    }
    if asking.phase == .answered, !coming.isEmpty { return check(coming, about: alert) }
    if !asking.isAsking {
      lapse(coming, about: alert)
      asking.begin(at: now)
      dropExtras(about: id, [.relief], because: "nobody is responding")
    }
    askAgain(asking, about: alert)
  }

  private mutating func askAgain(_ before: Asking, about alert: StoredAlert) {
    var asking = before
    asking.advance(at: now)
    state.set(asking, of: alert.id)
    note(.alert, EntityID(alert.id))
    if asking.round >= AskingSchedule.firstRoundOfNextTier { tellNextTier(of: alert) }
    tellNextTierIfHopeless(of: alert)
    for contact in willing(toldResponders(of: alert), alert.id) {
      queueExtra(.reminder, to: contact, about: alert, round: asking.round)
    }
  }

  /// Asks those who said long ago that they come whether they still do.
  private mutating func check(_ coming: [Coming], about alert: StoredAlert) {
    guard var asking = alert.asking else { return }
    for comer in coming { queueExtra(.check, to: comer.contact, about: alert, round: asking.round) }
    asking.check(ofAnswerAt: coming.map(\.response.at).max() ?? now, at: now)
    state.set(asking, of: alert.id)
    note(.alert, EntityID(alert.id))
  }

  /// Takes back the acknowledgements of those who have not confirmed them.
  private mutating func lapse(_ coming: [Coming], about alert: StoredAlert) {
    for comer in coming {
      for delivery in state.help(about: alert.id, to: comer.contact.id) where delivery.state == .acknowledged {
        var seen = delivery
        seen.finish(.seen, reason: "they have not confirmed that they still come", at: now)
        update(seen, from: delivery)
      }
    }
  }

  // Answers

  /// After an answer: whoever comes ends the asking, and the others hear of it once. If nobody comes any more it goes on at once, and
  /// if nobody can, the next tier is told at once.
  mutating func react(to answer: ResponderAnswer, of contact: Contact, about id: AlertID, at time: Timestamp) {
    guard let alert = state.alert(id), var asking = alert.asking, alert.isAskedAbout else { return }
    dropExtras(about: id, [.check], to: contact.id, because: "they answered")
    if answer.acknowledges {
      if asking.isAsking { relieve(alert, by: contact) }
      asking.answer(at: max(time, coming(to: id).map(\.response.at).max() ?? time))
      return state.set(asking, of: id)
    }
    guard !PlantedBug.declineEndsAsking.isPlanted else { return }
    let others = coming(to: id).filter { $0.response.counts(at: now) }
    if let newest = others.map(\.response.at).max() {
      // They are asked whether they still come, and trusted, by their own answer, not by that of whoever is gone.
      if asking.phase == .checking { asking.check(ofAnswerAt: newest, at: now) } else { asking.answer(at: newest) }
      hasQueuedDeliveries = true
      return state.set(asking, of: id)
    }
    guard asking.isAsking else {
      // Whoever came is gone, and those who said so long ago were asked.
      asking.phase = .checking
      asking.dueAt = now
      hasQueuedDeliveries = true
      return state.set(asking, of: id)
    }
    tellNextTierIfHopeless(of: alert)
  }

  /// A responder of a later tier was added: while nobody comes, the next round is asked now, and tells more of them.
  mutating func askSooner(about alert: StoredAlert, for responder: Contact) {
    guard var asking = alert.asking, asking.isAsking, asking.tier < responder.details.tier else { return }
    asking.dueAt = now
    hasQueuedDeliveries = true
    state.set(asking, of: alert.id)
  }

  /// Responders were removed: those who were coming may be among them.
  mutating func checkWhoComes() {
    for alert in state.activeAlerts(limit: AccountState.activeAlertLimit) {
      guard var asking = alert.asking, !asking.isAsking else { continue }
      asking.dueAt = now
      hasQueuedDeliveries = true
      state.set(asking, of: alert.id)
    }
  }

  /// Stops asking the others, and tells those who were asked who comes.
  private mutating func relieve(_ alert: StoredAlert, by comer: Contact) {
    dropExtras(about: alert.id, [.reminder], because: "somebody is responding")
    let round = alert.asking?.round ?? 0
    for contact in willing(toldResponders(of: alert), alert.id) where contact.id != comer.id {
      let help = state.help(about: alert.id, to: contact.id)
      guard help.contains(where: { $0.state.isTold && !$0.isUnopenedInbox }) else { continue }
      queueExtra(.relief, to: contact, about: alert, round: round)
    }
  }

  // Who

  private struct Coming {
    var contact: Contact
    var response: StoredResponse
  }

  /// The responders who said that they come, however long ago.
  private mutating func coming(to alert: AlertID) -> [Coming] {
    let responses = state.responses(to: alert)
    return responders().compactMap { contact in
      guard let response = responses[contact.id], response.answer.acknowledges else { return nil }
      return Coming(contact: contact, response: response)
    }
  }

  /// Without those who said that they do not come, unless all said so.
  private mutating func willing(_ contacts: [Contact], _ alert: AlertID) -> [Contact] {
    let responses = state.responses(to: alert)
    let willing = contacts.filter { responses[$0.id]?.answer.acknowledges ?? true }
    return willing.isEmpty ? contacts : willing
  }

  // Tiers

  /// Tells the next tier that has a responder; false if there is none.
  @discardableResult
  private mutating func tellNextTier(of alert: StoredAlert) -> Bool {
    guard var asking = state.alert(alert.id)?.asking, !PlantedBug.tierNeverReached.isPlanted else { return false }
    let tier = responders().map(\.details.tier).filter { $0 > asking.tier }.min()
    guard let tier else { return false }
    asking.tier = tier
    state.set(asking, of: alert.id)
    for contact in responders() where contact.details.tier == tier { queueHelp(to: contact, about: alert) }
    return true
  }

  /// Tells the next tier, and the next, while of those who were told nobody can be reached or can come.
  mutating func tellNextTierIfHopeless(of alert: StoredAlert) {
    // All at once: fetched contact by contact they would take a round trip each.
    _ = state.deliveries(of: alert.id)
    for _ in ContactDetails.tiers {
      guard state.alert(alert.id)?.asking != nil else { return }
      let told = toldResponders(of: alert)
      guard told.allSatisfy({ !isReachable($0) || isHopeless($0, alert.id) }), tellNextTier(of: alert) else { return }
    }
  }

  private func isReachable(_ contact: Contact) -> Bool {
    contact.details.channels.contains { configuration.reasonAgainst($0) == nil }
  }

  /// They said that they do not come, no longer answer, or all messages to them failed. That it stands in their inbox does not say that
  /// anything rings.
  private mutating func isHopeless(_ contact: Contact, _ alert: AlertID) -> Bool {
    if let response = state.response(of: contact.id, to: alert) { return !response.counts(at: now) }
    let help = state.help(about: alert, to: contact.id).filter { !$0.isUnopenedInbox }
    return !help.isEmpty && help.allSatisfy { $0.state == .failed }
  }
}

extension StoredAlert {
  /// Whether the responder is told of it: a test is for one of them, and a tier is told when the asking has reached it.
  func isTold(_ responder: Contact) -> Bool {
    record.alert.isFor(responder.id) && responder.details.tier <= asking?.tier ?? .max
  }

  /// Whether its responders are asked again: it is real, active, and they were to be told.
  var isAskedAbout: Bool { record.alert.isActive && !record.alert.isDrill && notifiedAt != nil }
}
