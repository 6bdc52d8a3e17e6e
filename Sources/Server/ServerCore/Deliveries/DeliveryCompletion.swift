import Model
import Wire

// Writing down how an attempt went.
extension ServerCore {
  /// Writes down how an attempt went; one that is no longer awaited changes nothing: it said something else than the one that
  /// was claimed after it. The outcome's response has no meaning here.
  /// - Parameter number: of the attempt, as it was claimed.
  package func completeDelivery(
    _ id: DeliveryID, attempt number: Int, _ answer: DeliveryAnswer, at moment: ServerMoment, in store: any ServerStore
  ) throws(StorageError) -> ServerOutcome {
    do {
      return try store.write { transaction in
        var outcome = ServerOutcome(response: .noContent)
        guard let delivery = try transaction.delivery(id), delivery.state == .queued, delivery.attempts == number
        else { return outcome }
        let (hasChanges, work) = try decide(about: delivery, moment, transaction) { work, delivery in
          complete(delivery, answer, &work)
        }
        if hasChanges { outcome.changedAccounts = [work.account] }
        outcome.hasNewDeliveries = work.hasQueuedDeliveries
        return outcome
      }
    } catch {
      throw StorageError(wrapping: error)
    }
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
