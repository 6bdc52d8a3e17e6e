package import Model
import PlantedBugs
import Wire

// Taking deliveries from the queue.
extension ServerCore {
  /// Ends the leases of the previous process, which is gone: its running attempts are due now.
  ///
  /// A process calls it once, before its first claim.
  package func takeOverDeliveries(at moment: ServerMoment, in store: any ServerStore) throws(StorageError) {
    if PlantedBug.leaseNeverEnds.isPlanted { return }
    do {
      try store.write {
        try $0.endLeases(at: moment.now)
        try $0.endCodeLeases(at: moment.now)
      }
    } catch {
      throw StorageError(wrapping: error)
    }
  }

  /// Leases up to `limit` due deliveries to the caller, for `DeliveryPolicy.leaseMilliseconds`, and a few one-time codes. The caller attempts each and
  /// reports with `completeDelivery`. If the clock is set, leases may end early: the caller cancels running attempts that a new one
  /// `replaces`, so that older news does not arrive after newer.
  ///
  /// Messages are rendered here, from the alert as it is now: an ended alert is never told as a bare call for help.
  package func claimDeliveries(
    limit: Int, at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> ClaimedDeliveries {
    do {
      return try store.write { try claim(limit: limit, moment, $0) }
    } catch {
      throw StorageError(wrapping: error)
    }
  }

  /// Like `claimDeliveries`, in a shared transaction.
  package func claimDeliveries(
    limit: Int, at moment: ServerMoment, in transaction: any ServerTransaction
  ) throws(StorageError) -> ClaimedDeliveries {
    try claim(limit: limit, moment, transaction)
  }

  func claim(
    limit: Int, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) -> ClaimedDeliveries {
    let latest = latestDue(at: moment.now)
    if let due = try transaction.latestDue(), due > latest {
      try transaction.bringForward(dueAfter: latest, to: moment.now)
    }
    let inFlight = configuration.deliveries.inFlight
    var claimed = ClaimedDeliveries()
    try askAgain(into: &claimed, moment, transaction)
    if limit > 0 {
      let due = try transaction.dueDeliveries(at: moment.now, limit: limit, inFlight: inFlight)
      for id in due.unreadable { try setAside(id, &claimed, moment, transaction) }
      for delivery in due.deliveries {
        do throws(StorageError) {
          try claim(delivery, into: &claimed, moment, transaction)
        } catch let error where error.code == .unreadableValue {
          try setAside(delivery.id, &claimed, moment, transaction)
        }
      }
    }
    try checkForSilence(into: &claimed, moment, transaction)
    try postToInboxes(into: &claimed, moment, transaction)
    try claimCodes(into: &claimed, moment, transaction)
    claimed.nextDue = try nextDue(at: moment, transaction)
    return claimed
  }

  /// When to claim again; nil if nothing waits. May be in the past. Nothing is due before that.
  package func nextDeliveryDue(at moment: ServerMoment, in store: any ServerStore) throws(StorageError) -> Timestamp? {
    do {
      return try store.write { try nextDue(at: moment, $0) }
    } catch {
      throw StorageError(wrapping: error)
    }
  }

  private func nextDue(
    at moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Timestamp? {
    let latest = latestDue(at: moment.now)
    if let due = try transaction.latestDue(), due > latest { return moment.now }
    if let last = try transaction.lastAsking(), last > latestAsking(at: moment.now) { return moment.now }
    if try !transaction.alertsToPost(limit: 1).isEmpty { return moment.now }
    let asking = try transaction.firstAsking()
    let silence = try nextSilenceCheck(at: moment, transaction)
    let delivery = try transaction.nextDue(at: moment.now, inFlight: configuration.deliveries.inFlight)
    return [asking, silence, delivery, try nextCodeDue(at: moment, transaction)].compactMap { $0 }.min()
  }

  /// Queues the messages of the alerts about which responders are to be asked again, a few with each claim.
  private func askAgain(
    into claims: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let due = try transaction.alertsToAskAbout(
      dueAt: moment.now, orAfter: latestAsking(at: moment.now), limit: Self.askedWithOneClaim)
    for asked in due {
      do throws(StorageError) {
        claims.note(asked.account, try askAgain(about: asked, moment, transaction))
      } catch let error where error.code == .unreadableValue {
        // It does not hold up those of others.
        let later = moment.now.advanced(byMilliseconds: Self.unreadableAskingMilliseconds)
        try transaction.postponeAsking(about: asked, to: later)
        claims.unreadableAlerts.append(asked.alert)
      }
    }
  }

  /// Returns whether devices need to hear of a change.
  private func askAgain(
    about asked: AccountAlert, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Bool {
    var needs = FactNeeds()
    needs.alerts = [asked.alert]
    needs.contacts = true
    needs.deliveriesOfAlerts = [asked.alert]
    needs.deliveryCounts = [asked.alert]
    needs.responses = [asked.alert]
    return try transaction.decide(about: asked.account, needs: needs) { state in
      AccountWork(
        configuration: configuration, now: moment.now, state: state,
        entropy: moment.entropy.stream(for: "asking about \(asked.alert)"))
    } rules: { work in
      work.ask(about: asked.alert)
      let hasChanges = work.hasChanges
      work.finish()
      return hasChanges
    }.result
  }

  /// Others wait for the writer meanwhile.
  private static let askedWithOneClaim = 8
  /// When an alert of which something cannot be read is tried again.
  private static let unreadableAskingMilliseconds: Int64 = 600_000

  /// For the planted bugs: the last millisecond of the year 9999.
  private static let endOfTime = Timestamp(milliseconds: 253_402_300_799_999)

  /// A later due time was written before the clock was set back.
  private func latestDue(at now: Timestamp) -> Timestamp {
    if PlantedBug.waitsByWallClock.isPlanted || PlantedBug.leaseNeverEnds.isPlanted { return Self.endOfTime }
    return now.advanced(byMilliseconds: configuration.deliveries.longestWaitMilliseconds)
  }

  /// A later step of the asking was written before the clock was set back.
  private func latestAsking(at now: Timestamp) -> Timestamp {
    if PlantedBug.waitsByWallClock.isPlanted { return Self.endOfTime }
    return now.advanced(byMilliseconds: AskingSchedule.lapseMilliseconds)
  }

  /// Fails a delivery of which something cannot be read, so that it does not hold up those of others.
  private func setAside(
    _ id: DeliveryID, _ claims: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    try transaction.setAside(id, reason: Self.unreadableReason, at: moment.now)
    claims.unreadable.append(id)
  }

  package static let unreadableReason = "the server cannot read its record of this message"

  /// Leases one delivery; one that cannot be attempted fails. Reads all that it needs before it writes.
  private func claim(
    _ delivery: StoredDelivery, into claims: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) {
    var claimed = delivery
    claimed.attempts += 1
    guard !delivery.isDropped, let message = try message(of: delivery, moment, transaction), message.isWanted,
      let attempt = attempt(claimed, message, at: moment.now)
    else {
      let reason = reasonNotToTry(delivery)
      let (hasChanges, work) = try decide(about: delivery, moment, transaction) { work, delivery in
        let isTest = work.state.alert(delivery.target.alert)?.record.alert.onlyContact != nil
        let fault = isTest ? delivery.faultOfChannel : nil
        if let fault { work.noteFailed(delivery, because: fault) }
        work.fail(delivery, reason: fault ?? reason)
      }
      return claims.note(work.account, hasChanges)
    }
    if try mustWait(message, transaction) { return try hold(delivery, into: &claims, moment, transaction) }
    if let page = message.page { try transaction.keep(page.link) }
    if let code = message.answerCode { try transaction.keep(code.link) }
    claimed.isLeased = true
    claimed.dueAt = moment.now.advanced(byMilliseconds: configuration.deliveries.leaseMilliseconds)
    if PlantedBug.leaseNeverEnds.isPlanted { claimed.dueAt = Self.endOfTime }
    claimed.toldEnd = delivery.notice == .activated && !message.alert.alert.isActive
    claimed.toldCall = message.updateCount
    try transaction.updateDelivery(claimed)
    claims.attempts.append(attempt)
  }

  /// "Safe" and drills wait while another alert of the same person is active: the latest news must remain "help".
  private func mustWait(
    _ message: DeliveryMessage, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Bool {
    guard message.saysSafe || message.told.isDrill, !PlantedBug.safeAmidAlert.isPlanted else { return false }
    return try transaction.isCallingForHelp(message.delivery.target.account)
  }

  private func hold(
    _ delivery: StoredDelivery, into claims: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let dueAt = moment.now.advanced(byMilliseconds: configuration.deliveries.holdMilliseconds)
    let (hasChanges, work) = try decide(about: delivery, moment, transaction) { work, delivery in
      var held = delivery
      held.isLeased = false
      held.dueAt = dueAt
      held.reason = StoredDelivery.heldReason
      work.update(held, from: delivery)
    }
    claims.note(work.account, hasChanges)
  }

  private func reasonNotToTry(_ delivery: StoredDelivery) -> String {
    let dropped = delivery.isDropped ? delivery.reason : nil
    return dropped ?? configuration.reasonAgainst(delivery.target.channel) ?? "the alert or the test is over"
  }

  private func message(
    of delivery: StoredDelivery, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) -> DeliveryMessage? {
    let target = delivery.target
    guard let alert = try transaction.alert(target.alert, of: target.account), !alert.isOverTest(at: moment.now),
      let account = try transaction.account(target.account)
    else { return nil }
    var message = DeliveryMessage(
      delivery: delivery, alert: alert.record, told: alert.told, phone: account.phone, profile: account.profile,
      utcOffsetMinutes: alert.utcOffsetMinutes,
      updateCount: alert.updateCount, olderPlaceAt: try olderPlaceAt(alert, transaction),
      wasTold: try wasTold(delivery, transaction),
      noContactSince: Supervision.noContactSince(
        alert, lastContactAt: try transaction.lastContact(device: alert.device, account: alert.account),
        now: moment.now), now: moment.now)
    let details = try transaction.contact(target.contact, of: target.account)
    if delivery.role == .relief { message.comers = try comers(to: alert, at: moment.now, transaction) }
    if !message.saysSafe {
      message.page = details.map {
        page(for: target, Contact(id: target.contact, details: $0), isDrill: alert.record.alert.isDrill)
      }
      if configuration.smsGateway?.answers != nil { message.answerCode = keys.answerCode(for: target) }
      message.hasWrittenChannel =
        details?.channels.contains { $0.kind != .voice && configuration.reasonAgainst($0) == nil } ?? false
      return message
    }
    let isToldMore =
      details?.isResponder == true && target.channel.map { details?.channels.contains($0) == true } ?? true
    return isToldMore ? message : message.withoutWords
  }

  /// The names of those who said that they come.
  private func comers(
    to alert: StoredAlert, at now: Timestamp, _ transaction: any ServerTransaction
  ) throws(StorageError) -> [String] {
    var names: [String] = []
    for response in try transaction.responses(to: alert.id, account: alert.account)
    where response.counts(at: now) {
      if let details = try transaction.contact(response.contact, of: alert.account), details.isResponder {
        names.append(details.name)
      }
    }
    return names
  }

  /// The page of the message's responder.
  private func page(for target: DeliveryTarget, _ contact: Contact, isDrill: Bool) -> DeliveryMessage.Page {
    let token = keys.pageToken(
      alert: target.alert, contact: contact, account: target.account, channel: isDrill ? target.channel : nil)
    return DeliveryMessage.Page(
      link: PageLink(
        key: keys.pageKey(of: token), account: target.account, alert: target.alert, contact: target.contact),
      url: "\(configuration.publicURL)\(Route.page)/\(token.text)")
  }

  /// When the place was told that the message shows; nil where it shows none, or the newest call told it.
  private func olderPlaceAt(
    _ alert: StoredAlert, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Timestamp? {
    guard alert.updateCount > 0, alert.record.newestLocation != nil else { return nil }
    guard let place = try transaction.newestPlace(of: alert.id, account: alert.account) else {
      return alert.told.startedAt
    }
    return place.update < alert.updateCount ? place.at : nil
  }

  /// Whether the help that this "safe" takes back ever reached its target.
  private func wasTold(
    _ delivery: StoredDelivery, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Bool {
    guard delivery.notice == .deactivated,
      let help = try transaction.delivery(.activated, to: delivery.target)
    else { return false }
    if help.state != .failed { return true }
    return try transaction.deliveries(of: delivery.target.alert, account: delivery.target.account).contains {
      $0.isHelp && $0.target == delivery.target && $0.state.isTold
    }
  }

  private func attempt(_ delivery: StoredDelivery, _ message: DeliveryMessage, at now: Timestamp) -> DeliveryAttempt? {
    guard let channel = delivery.target.channel, configuration.reasonAgainst(channel) == nil,
      let request = configuration.driver(of: channel.kind)?.request(for: message, over: channel, keys)
    else { return nil }
    return DeliveryAttempt(
      id: delivery.id, number: delivery.attempts, target: delivery.target,
      saysHelp: message.content == .help && !message.told.isDrill, isAside: message.isAside, request: request,
      timeoutMilliseconds: configuration.deliveries.attemptTimeoutMilliseconds)
  }
}

extension ClaimedDeliveries {
  fileprivate mutating func note(_ account: AccountID, _ hasChanges: Bool) {
    if hasChanges { note([account]) }
  }

  mutating func note(_ accounts: [AccountID]) {
    for account in accounts where !changedAccounts.contains(account) { changedAccounts.append(account) }
  }
}

extension ServerTransaction {
  /// Whether a real alert of the account is active of which responders were to be told.
  func isCallingForHelp(_ account: AccountID) throws(StorageError) -> Bool {
    try alerts(of: account, activeOnly: true, before: nil, limit: AccountState.activeAlertLimit)
      .contains { !$0.record.alert.isDrill && $0.notifiedAt != nil }
  }

}

extension StorageError {
  /// `error` as one of the store, whatever it was.
  package init(wrapping error: any Error) {
    self = error as? StorageError ?? StorageError(.internalError, "an unexpected error in the delivery queue")
  }
}
