import Model
import Wire

/// How one attempt went.
package struct DeliveryCompletion: Sendable, Hashable {
  package var id: DeliveryID
  package var target: DeliveryTarget
  /// The attempt's number, as it was claimed.
  package var attempt: Int
  package var answer: DeliveryAnswer
  /// From the attempt's start to its end.
  package var milliseconds: Int64

  package init(
    id: DeliveryID, to target: DeliveryTarget, attempt: Int, answer: DeliveryAnswer,
    afterMilliseconds milliseconds: Int64 = 0
  ) {
    self.id = id
    self.target = target
    self.attempt = attempt
    self.answer = answer
    self.milliseconds = milliseconds
  }

  package init(of attempt: DeliveryAttempt, _ answer: DeliveryAnswer, afterMilliseconds milliseconds: Int64 = 0) {
    self.init(
      id: attempt.id, to: attempt.target, attempt: attempt.number, answer: answer, afterMilliseconds: milliseconds)
  }
}

// Writing down how an attempt went.
extension ServerCore {
  /// Records how an attempt went. An attempt that was superseded changes nothing. The outcome's response has no meaning here.
  package func completeDelivery(
    _ completion: DeliveryCompletion, at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> ServerOutcome {
    var outcome = ServerOutcome(response: .noContent)
    do {
      try store.write { try complete([completion], moment, $0, &outcome) }
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
    var recorded: Set<DeliveryID> = []
    do throws(StorageError) {
      try complete(completions, moment, transaction, &outcome) { recorded.insert($0) }
    } catch let error where error.code == .unreadableValue {
      // The other answers are recorded all the same.
      for completion in completions where !recorded.contains(completion.id) {
        try completeAlone(completion, moment, transaction, &outcome)
      }
    }
    return outcome
  }

  private func completeAlone(
    _ completion: DeliveryCompletion, _ moment: ServerMoment, _ transaction: any ServerTransaction,
    _ outcome: inout ServerOutcome
  ) throws(StorageError) {
    do throws(StorageError) {
      try complete([completion], moment, transaction, &outcome)
    } catch let error where error.code == .unreadableValue {
      try transaction.setAside(completion.id, reason: Self.unreadableReason, at: moment.now)
    }
  }

  /// Calls `take` with each message of which the answer is written.
  private func complete(
    _ completions: [DeliveryCompletion], _ moment: ServerMoment, _ transaction: any ServerTransaction,
    _ outcome: inout ServerOutcome, take: (DeliveryID) -> Void = { _ in }
  ) throws(StorageError) {
    let answers = Dictionary(grouping: completions, by: \.id)
    try decide(about: AccountDeliveries.groups(of: completions), moment, transaction) {
      work, delivery -> DeliveryCompletion? in
      // Of an earlier attempt there may be an answer too. The end of the one before may have changed it.
      guard delivery.state == .queued, !delivery.isHeldElsewhere,
        let completion = answers[delivery.id]?.first(where: { $0.attempt == delivery.attempts })
      else { return nil }
      complete(delivery, completion.answer, &work)
      return completion
    } take: { decision in
      outcome.add(decision)
      for (id, completion) in decision.results {
        if let completion { note(completion, transaction) }
        take(id)
      }
    }
  }

  /// What the answer says of the host.
  private func note(_ completion: DeliveryCompletion, _ transaction: any ServerTransaction) {
    let target = completion.target
    guard let host = target.channel?.deliveryHost,
      let answer = HostAnswer(completion.answer, of: target.carrier, afterMilliseconds: completion.milliseconds)
    else { return }
    transaction.note(answer, of: host)
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
    case .retry(_, let reason, _, _) where answer == .replaced && delivery.role == .reminder:
      // What took its place asks the same.
      delivery.finish(.failed, reason: reason, at: work.now)
    case .retry(let milliseconds, _, _, _) where answer == .replaced:
      delivery.isLeased = false
      delivery.dueAt = work.now.advanced(byMilliseconds: milliseconds)
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
    guard delivery.state != .queued else {
      if answer != .replaced { work.askThroughAnother(than: earlier, about: alert) }
      return
    }
    work.tellOfCallsSince(delivery, of: alert)
    work.releaseSafe(behind: delivery)
    if delivery.state == .failed, delivery.isHelp, let alert, alert.asking != nil {
      work.tellNextTierIfHopeless(of: alert)
    }
  }
}

extension FactNeeds {
  /// What the end of an attempt may touch: the alert, the message and what else its contact is told of that, and what is known of their
  /// channels.
  static func related(to target: DeliveryTarget) -> Self {
    var needs = Self()
    needs.alerts = [target.alert]
    needs.deliveriesToContacts = [AlertContact(target.alert, target.contact)]
    needs.failedChannels = [target.contact]
    return needs
  }
}

extension ServerOutcome {
  fileprivate mutating func add<Result>(_ decision: DeliveryDecision<Result>) {
    let work = decision.work
    if decision.hasChanges, !changedAccounts.contains(work.account) { changedAccounts.append(work.account) }
    if work.hasQueuedDeliveries { hasNewDeliveries = true }
    observations += work.observations
  }
}
