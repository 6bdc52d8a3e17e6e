import Model
import Wire

/// How one attempt went.
package struct DeliveryCompletion: Sendable, Hashable {
  package var id: DeliveryID
  /// The attempt's number, as it was claimed.
  package var attempt: Int
  package var answer: DeliveryAnswer
  /// From the attempt's start to its end.
  package var milliseconds: Int64

  package init(id: DeliveryID, attempt: Int, answer: DeliveryAnswer, afterMilliseconds milliseconds: Int64) {
    self.id = id
    self.attempt = attempt
    self.answer = answer
    self.milliseconds = milliseconds
  }
}

// Writing down how an attempt went.
extension ServerCore {
  /// Records how an attempt went. An attempt that was superseded changes nothing. The outcome's response has no meaning here.
  /// - Parameters:
  ///   - number: of the attempt, as it was claimed.
  ///   - milliseconds: from the attempt's start to its end.
  package func completeDelivery(
    _ id: DeliveryID, attempt number: Int, _ answer: DeliveryAnswer, afterMilliseconds milliseconds: Int64 = 0,
    at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> ServerOutcome {
    var outcome = ServerOutcome(response: .noContent)
    do {
      let completion = DeliveryCompletion(
        id: id, attempt: number, answer: answer, afterMilliseconds: milliseconds)
      try store.write { try complete(completion, moment, $0, &outcome) }
      return outcome
    } catch {
      throw StorageError(wrapping: error)
    }
  }

  /// Records how attempts went, in a shared transaction. The outcome's response has no meaning here.
  package func completeDeliveries(
    _ completions: [DeliveryCompletion], at moment: ServerMoment, in transaction: any ServerTransaction
  ) throws(StorageError) -> ServerOutcome {
    var outcome = ServerOutcome(response: .noContent)
    for completion in completions {
      do throws(StorageError) {
        try complete(completion, moment, transaction, &outcome)
      } catch let error where error.code == .unreadableValue {
        // The other answers are recorded all the same.
        try transaction.setAside(completion.id, reason: Self.unreadableReason, at: moment.now)
      }
    }
    return outcome
  }

  private func complete(
    _ completion: DeliveryCompletion, _ moment: ServerMoment, _ transaction: any ServerTransaction,
    _ outcome: inout ServerOutcome
  ) throws(StorageError) {
    guard let delivery = try transaction.delivery(completion.id), delivery.state == .queued,
      delivery.attempts == completion.attempt, try transaction.isClaimedHere(completion.id)
    else { return }
    if let host = delivery.target.channel?.deliveryHost,
      let answer = HostAnswer(
        completion.answer, of: delivery.carrier, afterMilliseconds: completion.milliseconds)
    {
      transaction.note(answer, of: host)
    }
    let (hasChanges, work) = try decide(about: delivery, moment, transaction) { work, delivery in
      complete(delivery, completion.answer, &work)
    }
    if hasChanges, !outcome.changedAccounts.contains(work.account) { outcome.changedAccounts.append(work.account) }
    if work.hasQueuedDeliveries { outcome.hasNewDeliveries = true }
    outcome.observations += work.observations
  }

  /// Runs `rules` on a delivery with its alert and related deliveries. Returns whether devices need to hear of a change.
  func decide(
    about delivery: StoredDelivery, _ moment: ServerMoment, _ transaction: any ServerTransaction,
    rules: (inout AccountWork, StoredDelivery) -> Void
  ) throws(StorageError) -> (hasChanges: Bool, work: AccountWork) {
    let target = delivery.target
    var needs = FactNeeds()
    needs.deliveries = [delivery.id]
    needs.alerts = [target.alert]
    needs.deliveriesToContacts = [AlertContact(target.alert, target.contact)]
    needs.failedChannels = [target.contact]
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
      answer, attempts: delivery.attemptsToCount, refusals: delivery.refusals,
      ageMilliseconds: work.now.milliseconds(since: waitsSince),
      isUrgent: alert?.record.alert.isActive ?? false, carrier: delivery.carrier,
      jitter: work.entropy.fraction(), now: work.now,
      policy: configuration.deliveries)
    switch verdict {
    case .sent:
      let milliseconds = max(0, work.now.milliseconds(since: delivery.createdAt))
      work.observations.append(.sent(delivery.channelKind, milliseconds: milliseconds))
      delivery.isDropped = false
      delivery.finish(.sent, at: work.now)
      work.noteWorking(delivery)
    case .retry where delivery.isDropped, .failed where delivery.isDropped:
      delivery.finish(.failed, reason: delivery.reason, at: work.now)
    case .failed(let reason, let isOfChannel):
      work.observations.append(.failed(delivery.channelKind))
      delivery.finish(.failed, reason: reason, at: work.now)
      if isOfChannel { work.noteFailed(delivery, because: reason) }
    case .retry(let milliseconds, let reason, let isRefusal, let retryAfter):
      work.observations.append(.retried(delivery.channelKind))
      delivery.isLeased = false
      // News since the attempt does not wait for its backoff.
      let isOutdated = alert.map(delivery.isOutdated) ?? false
      delivery.dueAt = work.now.advanced(byMilliseconds: isOutdated ? retryAfter ?? 0 : milliseconds)
      delivery.refusals += isRefusal ? 1 : 0
      delivery.reason = reason
    }
    work.update(delivery, from: earlier)
    guard delivery.state != .queued else { return work.askThroughAnother(than: earlier, about: alert) }
    work.tellOfCallsSince(delivery, of: alert)
    work.releaseSafe(behind: delivery)
    if delivery.state == .failed, delivery.isHelp, let alert, alert.asking != nil {
      work.tellNextTierIfHopeless(of: alert)
    }
  }
}
