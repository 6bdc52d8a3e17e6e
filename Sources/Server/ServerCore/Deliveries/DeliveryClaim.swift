import Model
import PlantedBugs
import Wire

/// A message of which an attempt is leased, as it is now. Its request is not written yet.
struct LeasedMessage {
  fileprivate let message: DeliveryMessage
  fileprivate let attempt: Int
  fileprivate let write: RequestWriter

  func attempt(_ configuration: ServerConfiguration, _ keys: ServerKeys) -> DeliveryAttempt {
    DeliveryAttempt(
      id: message.delivery.id, number: attempt, target: message.delivery.target,
      saysHelp: message.content == .help && !message.told.isDrill, isAside: message.isAside,
      request: write(message, keys), timeoutMilliseconds: configuration.deliveries.attemptTimeoutMilliseconds)
  }
}

// What becomes of one due delivery.
extension AccountWork {
  /// Leases the delivery, with its message as the alert is now. Nil if it cannot be attempted: then it has failed; and if it has to wait.
  ///
  /// - Parameter scope: what the message may be made from.
  mutating func claim(
    _ delivery: StoredDelivery, _ keys: ServerKeys, from scope: MessageScope = .everything
  ) -> LeasedMessage? {
    // The decision about the one before may have changed it. It is written so that the schedule has it as it is.
    guard delivery.state == .queued, let dueAt = delivery.dueAt, dueAt <= now else {
      state.updateDelivery(delivery)
      return nil
    }
    guard !delivery.isDropped, let message = message(of: delivery, keys, from: scope), message.isWanted,
      let write = delivery.target.channel.flatMap(configuration.writer)
    else {
      giveUp(delivery)
      return nil
    }
    if mustWait(message) {
      hold(delivery)
      return nil
    }
    if let page = message.page { state.pageLinks.append(page.link) }
    if let code = message.answerCode { state.answerLinks.append(code.link) }
    var claimed = delivery
    claimed.attempts += 1
    claimed.isLeased = true
    claimed.isHeldElsewhere = false
    claimed.dueAt = now.advanced(byMilliseconds: configuration.deliveries.leaseMilliseconds)
    if PlantedBug.leaseNeverEnds.isPlanted { claimed.dueAt = ServerCore.endOfTime }
    claimed.toldEnd = delivery.notice == .activated && !message.alert.alert.isActive
    claimed.toldCall = message.updateCount
    state.updateDelivery(claimed)
    return LeasedMessage(message: message, attempt: claimed.attempts, write: write)
  }

  private mutating func giveUp(_ delivery: StoredDelivery) {
    guard !delivery.isOfNewNumber else {
      leaveToEarlierPerson(delivery)
      return releaseSafe(behind: delivery)
    }
    let isTest = state.alert(delivery.target.alert)?.record.alert.onlyContact != nil
    let fault = isTest ? delivery.faultOfChannel : nil
    if let fault { noteFailed(delivery, because: fault) }
    fail(delivery, reason: fault ?? reasonNotToTry(delivery))
  }

  private func reasonNotToTry(_ delivery: StoredDelivery) -> String {
    let dropped = delivery.isDropped ? delivery.reason : nil
    return dropped ?? configuration.reasonAgainst(delivery.target.channel) ?? "the alert or the test is over"
  }

  /// "Safe" and drills wait while another alert of the same person is active: the latest news must remain "help".
  private mutating func mustWait(_ message: DeliveryMessage) -> Bool {
    guard message.saysSafe || message.told.isDrill, !PlantedBug.safeAmidAlert.isPlanted else { return false }
    return state.isCallingForHelp()
  }

  private mutating func hold(_ delivery: StoredDelivery) {
    var held = delivery
    held.isLeased = false
    held.dueAt = now.advanced(byMilliseconds: configuration.deliveries.holdMilliseconds)
    held.reason = StoredDelivery.heldReason
    update(held, from: delivery)
  }
}

/// What a message is made from.
enum MessageScope {
  case everything
  /// Not from other messages, where one of them cannot be read: an alert's end is told together with the alert, as to somebody who heard of
  /// neither.
  case itsOwnRecords
}

// The message of a delivery, as the alert is now.
extension AccountWork {
  /// Nil where there is nothing to tell.
  private mutating func message(
    of delivery: StoredDelivery, _ keys: ServerKeys, from scope: MessageScope
  ) -> DeliveryMessage? {
    let target = delivery.target
    guard let alert = state.alert(target.alert), !alert.isOverTest(at: now), let record = state.facts.record else {
      return nil
    }
    var message = DeliveryMessage(
      delivery: delivery, alert: alert.record, told: alert.told, phone: record.phone, profile: state.profile,
      utcOffsetMinutes: alert.utcOffsetMinutes, updateCount: alert.updateCount, olderPlaceAt: olderPlaceAt(alert),
      wasTold: scope == .everything && wasTold(delivery),
      noContactSince: Supervision.noContactSince(alert, lastContactAt: state.lastContact(of: alert.device), now: now),
      now: now)
    message.words = alert.said(state.words(of: alert.id)).words
    let details = state.contact(target.contact)
    if delivery.role == .relief { message.comers = comers(to: alert) }
    guard message.saysSafe else {
      addAnswers(to: &message, details, keys)
      return message
    }
    let isToldMore =
      details?.isResponder == true && target.channel.map { details?.channels.contains($0) == true } ?? true
    return isToldMore ? message : message.withoutWords
  }

  /// The ways in which the responder can answer.
  private func addAnswers(to message: inout DeliveryMessage, _ details: ContactDetails?, _ keys: ServerKeys) {
    let target = message.delivery.target
    message.page = details.map {
      page(for: target, Contact(id: target.contact, details: $0), isDrill: message.told.isDrill, keys)
    }
    if configuration.smsGateway?.answers != nil { message.answerCode = keys.answerCode(for: target) }
    message.hasWrittenChannel =
      details?.channels.contains { $0.kind != .voice && configuration.reasonAgainst($0) == nil } ?? false
  }

  /// The page of the message's responder.
  private func page(
    for target: DeliveryTarget, _ contact: Contact, isDrill: Bool, _ keys: ServerKeys
  ) -> DeliveryMessage.Page {
    let token = keys.pageToken(
      alert: target.alert, contact: contact, account: target.account, channel: isDrill ? target.channel : nil)
    return DeliveryMessage.Page(
      link: PageLink(
        key: keys.pageKey(of: token), account: target.account, alert: target.alert, contact: target.contact),
      url: "\(configuration.publicURL)\(Route.page)/\(token.text)")
  }

  /// The names of those who said that they come.
  private mutating func comers(to alert: StoredAlert) -> [String] {
    let responses = state.responses(to: alert.id).values.filter { $0.counts(at: now) }
    let names = responses.sorted { $0.contact.words < $1.contact.words }.map { response -> String? in
      guard let details = state.contact(response.contact), details.isResponder else { return nil }
      return details.name
    }
    return names.compactMap { $0 }
  }

  /// When the place was told that the message shows; nil where it shows none, or the newest call told it.
  private mutating func olderPlaceAt(_ alert: StoredAlert) -> Timestamp? {
    guard alert.updateCount > 0, alert.record.newestLocation != nil else { return nil }
    guard let place = state.newestPlace(of: alert.id) else { return alert.told.startedAt }
    return place.update < alert.updateCount ? place.at : nil
  }

  /// Whether the help that this "safe" takes back ever reached its target.
  private mutating func wasTold(_ delivery: StoredDelivery) -> Bool {
    guard delivery.notice == .deactivated, let help = state.delivery(.activated, to: delivery.target) else {
      return false
    }
    return help.state != .failed || state.wasTold(delivery.target)
  }
}
