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
        var work = try work(delivery, moment, transaction)
        try complete(delivery, answer, &work)
        if try work.finish() { outcome.changedAccounts = [work.account] }
        outcome.hasNewDeliveries = work.hasQueuedDeliveries
        return outcome
      }
    } catch {
      throw StorageError(wrapping: error)
    }
  }

  private func complete(
    _ delivery: StoredDelivery, _ answer: DeliveryAnswer, _ work: inout AccountWork
  ) throws(StorageError) {
    var delivery = delivery
    let earlier = delivery
    let alert = try work.transaction.alert(delivery.target.alert, of: delivery.target.account)
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
    try work.update(delivery, from: earlier)
    guard delivery.state != .queued else { return }
    try work.tellOfCallsSince(delivery, of: alert)
    try work.releaseSafe(behind: delivery)
  }
}
