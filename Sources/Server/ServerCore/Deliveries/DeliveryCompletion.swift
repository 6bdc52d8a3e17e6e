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

  var key: DeliveryKey { DeliveryKey(id, of: target.account) }

  /// Whether the attempt failed, and took longer than others need to be sent. The operator's own server may take its time to answer.
  var hasHung: Bool {
    guard !answer.isSuccess, milliseconds > HostAnswer.promptMilliseconds else { return false }
    return switch answer {
    case .notSent, .replaced, .unusableURL: false
    case .status, .notTaken: !target.carrier.isOfOperator
    case .mail(let reply): reply.code == nil
    case .networkFailure, .addressRefused: true
    }
  }
}

/// What the end of an attempt is decided from.
enum CompletionScope {
  case everything
  /// The message and its alert, where another message or the contact cannot be read: nothing else follows from it.
  case itsAlert
  /// The message, where its alert cannot be read either. For one that was sent.
  case itself
}

// Writing down how an attempt went.
extension ServerCore {
  /// Records how an attempt went. An attempt that was superseded changes nothing. The outcome's response has no meaning here.
  package func completeDelivery(
    _ completion: DeliveryCompletion, at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> ServerOutcome {
    do {
      return try store.write { try completeDeliveries([completion], at: moment, in: $0) }
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
    let scopes: [CompletionScope] =
      completion.answer.isSuccess ? [.everything, .itsAlert, .itself] : [.everything, .itsAlert]
    for scope in scopes {
      do throws(StorageError) {
        try complete([completion], from: scope, moment, transaction, &outcome)
        if scope != .everything { try transaction.releaseSafe(behind: completion.key, at: moment.now) }
        return
      } catch let error where error.code == .unreadableValue {
        continue
      }
    }
    try setAside(completion.key, moment, transaction)
  }

  /// Calls `take` with each message of which the answer is written.
  private func complete(
    _ completions: [DeliveryCompletion], from scope: CompletionScope = .everything, _ moment: ServerMoment,
    _ transaction: any ServerTransaction, _ outcome: inout ServerOutcome, take: (DeliveryID) -> Void = { _ in }
  ) throws(StorageError) {
    let answers = Dictionary(grouping: completions, by: \.id)
    try decide(about: AccountDeliveries.groups(of: completions, from: scope), moment, transaction) {
      work, delivery -> DeliveryCompletion? in
      // Of an earlier attempt there may be an answer too. The end of the one before may have changed it.
      guard delivery.state == .queued, !delivery.isHeldElsewhere,
        let completion = answers[delivery.id]?.first(where: { $0.attempt == delivery.attempts })
      else { return nil }
      complete(delivery, completion.answer, from: scope, &work)
      return completion
    } take: { decision in
      outcome.add(decision)
      for (id, completion) in decision.results {
        if let completion { note(completion, transaction) }
        take(id)
      }
    }
  }

  /// What the answer says of the host, and of the next attempt.
  private func note(_ completion: DeliveryCompletion, _ transaction: any ServerTransaction) {
    if completion.hasHung { transaction.noteHung(completion.id) }
    let target = completion.target
    guard let host = target.channel?.deliveryHost,
      let answer = HostAnswer(completion.answer, of: target.carrier, afterMilliseconds: completion.milliseconds)
    else { return }
    transaction.note(answer, of: host)
  }

  private func complete(
    _ delivery: StoredDelivery, _ answer: DeliveryAnswer, from scope: CompletionScope, _ work: inout AccountWork
  ) {
    var delivery = delivery
    let earlier = delivery
    let alert = scope == .itself ? nil : work.state.alert(delivery.target.alert)
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
      let reason = delivery.isForEarlierNumber ? Receipt.numberChangedReason : nil
      delivery.isDropped = false
      delivery.finish(.sent, reason: reason, at: work.now)
      if scope == .everything { work.noteWorking(delivery) }
    case .retry where delivery.isOfNewNumber, .failed where delivery.isOfNewNumber: delivery.leaveToEarlierPerson()
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
      if isOfChannel, scope == .everything { work.noteFailed(delivery, because: reason) }
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
    if scope == .everything { work.followEnd(of: delivery, from: earlier, answer, about: alert) }
  }
}

extension AccountWork {
  /// Does what follows from the end of an attempt.
  fileprivate mutating func followEnd(
    of delivery: StoredDelivery, from earlier: StoredDelivery, _ answer: DeliveryAnswer, about alert: StoredAlert?
  ) {
    guard delivery.state != .queued else {
      if answer != .replaced { askThroughAnother(than: earlier, about: alert) }
      return
    }
    tellOfCallsSince(delivery, of: alert)
    releaseSafe(behind: delivery)
    if delivery.state == .failed, delivery.isHelp, let alert, alert.asking != nil {
      tellNextTierIfHopeless(of: alert)
    }
  }
}

extension FactNeeds {
  /// What the end of an attempt may touch: the alert, the message and what else its contact is told of that, and what is known of their
  /// channels.
  mutating func insertRelated(to target: DeliveryTarget) {
    alerts.insert(target.alert)
    deliveriesToContacts.insert(AlertContact(target.alert, target.contact))
    failedChannels.insert(target.contact)
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
