import Model
import Wire

/// How one attempt went.
package struct DeliveryCompletion: Sendable, Hashable {
  package var id: DeliveryID
  /// The attempt's number, as it was claimed.
  package var attempt: Int
  package var answer: DeliveryAnswer

  package init(id: DeliveryID, attempt: Int, answer: DeliveryAnswer) {
    self.id = id
    self.attempt = attempt
    self.answer = answer
  }
}

// Writing down how an attempt went.
extension ServerCore {
  /// Writes down how an attempt went; one that is no longer awaited changes nothing: it said something else than the one that
  /// was claimed after it. The outcome's response has no meaning here.
  /// - Parameter number: of the attempt, as it was claimed.
  package func completeDelivery(
    _ id: DeliveryID, attempt number: Int, _ answer: DeliveryAnswer, at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> ServerOutcome {
    var outcome = ServerOutcome(response: .noContent)
    do {
      let completion = DeliveryCompletion(id: id, attempt: number, answer: answer)
      try store.write { try complete(completion, moment, $0, &outcome) }
      return outcome
    } catch {
      throw StorageError(wrapping: error)
    }
  }

  /// Writes down how attempts went, and claims what is due then, with one commit for all.
  package func advanceDeliveries(
    _ completions: [DeliveryCompletion], claiming limit: Int, at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> ClaimedDeliveries {
    do {
      return try store.write { transaction in
        var outcome = ServerOutcome(response: .noContent)
        for completion in completions { try complete(completion, moment, transaction, &outcome) }
        var claimed = try claim(limit: limit, moment, transaction)
        claimed.note(outcome.changedAccounts)
        return claimed
      }
    } catch {
      throw StorageError(wrapping: error)
    }
  }

  private func complete(
    _ completion: DeliveryCompletion, _ moment: ServerMoment, _ transaction: any ServerTransaction,
    _ outcome: inout ServerOutcome
  ) throws(StorageError) {
    guard let delivery = try transaction.delivery(completion.id), delivery.state == .queued,
      delivery.attempts == completion.attempt
    else { return }
    let (hasChanges, work) = try decide(about: delivery, moment, transaction) { work, delivery in
      complete(delivery, completion.answer, &work)
    }
    if hasChanges, !outcome.changedAccounts.contains(work.account) { outcome.changedAccounts.append(work.account) }
    if work.hasQueuedDeliveries { outcome.hasNewDeliveries = true }
  }

  /// Runs `rules` on a delivery and what hangs on it. Says whether anything changed that devices are to hear.
  func decide(
    about delivery: StoredDelivery, _ moment: ServerMoment, _ transaction: any ServerTransaction,
    rules: (inout AccountWork, StoredDelivery) -> Void
  ) throws(StorageError) -> (hasChanges: Bool, work: AccountWork) {
    let target = delivery.target
    var needs = FactNeeds()
    needs.deliveries = [delivery.id]
    needs.alerts = [target.alert]
    needs.deliveriesToContacts = [AlertContact(target.alert, target.contact)]
    let decision = try transaction.decide(about: target.account, needs: needs) { state in
      AccountWork(
        configuration: configuration, now: moment.now, state: state,
        entropy: moment.entropy.stream(for: delivery.id.description))
    } rules: { work in
      if let delivery = work.state.delivery(delivery.id) { rules(&work, delivery) }
      let hasChanges = work.hasChanges
      work.finish()
      return hasChanges
    }
    return (decision.result, decision.work)
  }

  private func complete(_ delivery: StoredDelivery, _ answer: DeliveryAnswer, _ work: inout AccountWork) {
    var delivery = delivery
    let earlier = delivery
    let alert = work.state.alert(delivery.target.alert)
    let waitsSince = max(delivery.createdAt, alert?.record.endReceivedAt ?? delivery.createdAt)
    let verdict = DeliveryVerdict.of(
      answer, attempts: delivery.attempts, refusals: delivery.refusals,
      ageMilliseconds: work.now.milliseconds(since: waitsSince),
      isUrgent: alert?.record.alert.isActive ?? false, jitter: work.entropy.fraction(), now: work.now,
      policy: configuration.deliveries)
    switch verdict {
    case .sent:
      delivery.isDropped = false
      delivery.finish(.sent, at: work.now)
    case .retry where delivery.isDropped, .failed where delivery.isDropped:
      delivery.finish(.failed, reason: delivery.reason, at: work.now)
    case .failed(let reason):
      delivery.finish(.failed, reason: reason, at: work.now)
    case .retry(let milliseconds, let reason, let isRefusal, let retryAfter):
      delivery.isLeased = false
      // What is newer than the attempt does not wait out its backoff.
      let isOutdated = alert.map(delivery.isOutdated) ?? false
      delivery.dueAt = work.now.advanced(byMilliseconds: isOutdated ? retryAfter ?? 0 : milliseconds)
      delivery.refusals += isRefusal ? 1 : 0
      delivery.reason = reason
    }
    work.update(delivery, from: earlier)
    guard delivery.state != .queued else { return }
    work.tellOfCallsSince(delivery, of: alert)
    work.releaseSafe(behind: delivery)
  }
}
