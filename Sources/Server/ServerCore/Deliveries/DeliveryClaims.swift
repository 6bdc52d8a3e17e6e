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
  /// reports with `completeDeliveries`. If the clock is set, leases may end early: the caller cancels running attempts that a new one
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
    var claimed = ClaimedDeliveries()
    let latest = latestTimes(at: moment.now)
    let outlook = try transaction.outlook(at: moment.now, latest: latest)
    var hasWritten = false
    if outlook.hasDeliveryTooLate {
      try transaction.bringForward(dueAfter: latest.delivery, to: moment.now)
      hasWritten = true
    }
    if outlook.asking.areDue(at: moment.now) {
      try askAgain(into: &claimed, moment, transaction)
      hasWritten = true
    }
    if try claimMessages(limit: limit, into: &claimed, moment, transaction) { hasWritten = true }
    if outlook.silence.areDue(at: moment.now) {
      try checkForSilence(into: &claimed, moment, transaction)
      hasWritten = true
    }
    if outlook.hasAlertsToPost || hasWritten {
      try postToInboxes(into: &claimed, moment, transaction)
      hasWritten = true
    }
    if try claimCodes(of: outlook.codes, into: &claimed, moment, transaction) { hasWritten = true }
    // A lease alone changes nothing that the outlook tells.
    let next = hasWritten ? try transaction.outlook(at: moment.now, latest: latest) : outlook
    claimed.nextDue = try nextDue(after: next, at: moment, transaction)
    return claimed
  }

  /// Leases due messages. Returns whether more was written than leases.
  private func claimMessages(
    limit: Int, into claimed: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Bool {
    guard limit > 0 else { return false }
    let due = try transaction.dueDeliveries(
      at: moment.now, limit: limit, inFlight: configuration.deliveries.inFlight)
    for key in due.unreadable { try setAside(key, &claimed, moment, transaction) }
    var attempts: [DeliveryID: DeliveryAttempt?] = [:]
    do throws(StorageError) {
      try claim(due.deliveries, &attempts, &claimed, moment, transaction)
    } catch let error where error.code == .unreadableValue {
      for delivery in due.deliveries where attempts[delivery.id] == nil {
        try claimAlone(delivery, &attempts, &claimed, moment, transaction)
      }
    }
    // In the order of what is due, whatever account it is of.
    let claims = due.deliveries.compactMap { attempts[$0.id] ?? nil }
    claimed.attempts += claims
    return !due.unreadable.isEmpty || claims.count < due.deliveries.count
  }

  /// Where a record cannot be read, it holds up no others.
  private func claimAlone(
    _ delivery: StoredDelivery, _ attempts: inout [DeliveryID: DeliveryAttempt?], _ claimed: inout ClaimedDeliveries,
    _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    for scope in [MessageScope.everything, .itsOwnRecords] {
      do throws(StorageError) {
        try claim([delivery], from: scope, &attempts, &claimed, moment, transaction)
        return
      } catch let error where error.code == .unreadableValue {
        continue
      }
    }
    try setAside(delivery.key, &claimed, moment, transaction)
  }

  /// Leases messages, with one decision about each account; those that cannot be attempted fail. `attempts` has those that are written; nil
  /// where there is none.
  private func claim(
    _ due: [StoredDelivery], from scope: MessageScope = .everything,
    _ attempts: inout [DeliveryID: DeliveryAttempt?], _ claimed: inout ClaimedDeliveries, _ moment: ServerMoment,
    _ transaction: any ServerTransaction
  ) throws(StorageError) {
    let groups = AccountDeliveries.groups(of: due) { delivery, needs in
      needs.alerts.insert(delivery.target.alert)
      needs.lastContactsAboutAlerts.insert(delivery.target.alert)
      needs.words.insert(delivery.target.alert)
      needs.namedContacts.insert(delivery.target.contact)
    }
    try decide(about: groups, moment, transaction) { work, delivery -> LeasedMessage? in
      work.claim(delivery, keys, from: scope)
    } take: { decision in
      // While the store writes the leases.
      for (id, leased) in decision.results { attempts.updateValue(leased?.attempt(configuration, keys), forKey: id) }
      if decision.hasChanges { claimed.note([decision.work.account]) }
    }
  }

  /// When to claim again; nil if nothing waits. May be in the past. Nothing is due before that.
  package func nextDeliveryDue(at moment: ServerMoment, in store: any ServerStore) throws(StorageError) -> Timestamp? {
    do {
      let latest = latestTimes(at: moment.now)
      return try store.write { try nextDue(after: $0.outlook(at: moment.now, latest: latest), at: moment, $0) }
    } catch {
      throw StorageError(wrapping: error)
    }
  }

  private func nextDue(
    after outlook: QueueOutlook, at moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) -> Timestamp? {
    let isOverdue = outlook.hasDeliveryTooLate || outlook.asking.hasTooLate || outlook.silence.hasTooLate
    if isOverdue || outlook.hasAlertsToPost { return moment.now }
    let delivery = try transaction.nextDue(at: moment.now, inFlight: configuration.deliveries.inFlight)
    return [outlook.asking.first, outlook.silence.first, delivery, nextCodeDue(outlook.codes)].compactMap { $0 }.min()
  }

  /// For the planted bugs: the last millisecond of the year 9999.
  static let endOfTime = Timestamp(milliseconds: 253_402_300_799_999)

  package func latestTimes(at now: Timestamp) -> LatestTimes {
    LatestTimes(delivery: latestDue(at: now), asking: latestAsking(at: now), silence: latestSilenceCheck(at: now))
  }

  private func latestDue(at now: Timestamp) -> Timestamp {
    if PlantedBug.waitsByWallClock.isPlanted || PlantedBug.leaseNeverEnds.isPlanted { return Self.endOfTime }
    return now.advanced(byMilliseconds: configuration.deliveries.longestWaitMilliseconds)
  }

  private func setAside(
    _ key: DeliveryKey, _ claims: inout ClaimedDeliveries, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    try setAside(key, moment, transaction)
    claims.unreadable.append(key.id)
  }

  /// Fails a delivery of which something cannot be read, so that it does not hold up those of others, nor the "safe" behind it.
  func setAside(
    _ key: DeliveryKey, _ moment: ServerMoment, _ transaction: any ServerTransaction
  ) throws(StorageError) {
    try transaction.setAside(key, reason: Self.unreadableReason, at: moment.now)
    try transaction.releaseSafe(behind: key, at: moment.now)
  }

  package static let unreadableReason = "the server cannot read its record of this message"
}

extension ClaimedDeliveries {
  mutating func note(_ accounts: [AccountID]) {
    for account in accounts where !changedAccounts.contains(account) { changedAccounts.append(account) }
  }
}
