import Model
import Wire

/// What an answer means for the delivery.
enum DeliveryVerdict: Equatable {
  case sent
  /// Retry after a delay; news is sent as soon as the other side's `Retry-After` allows (nil: at once). A refusal is an answer
  /// that will likely repeat: it is retried for an hour, not a day.
  case retry(afterMilliseconds: Int64, reason: String, isRefusal: Bool, retryAfterMilliseconds: Int64? = nil)
  case failed(reason: String)

  /// - Parameters:
  ///   - attempts: how often it was tried, including this time.
  ///   - refusals: how often it was refused before.
  ///   - ageMilliseconds: since it was queued, or its alert ended, whichever is later.
  ///   - isUrgent: its alert is active. It is then retried while that lasts, unless the other side refuses it.
  ///   - jitter: `0..<1`.
  static func of(
    _ answer: DeliveryAnswer, attempts: Int, refusals: Int, ageMilliseconds: Int64, isUrgent: Bool, jitter: Double,
    now: Timestamp, policy: DeliveryPolicy
  ) -> Self {
    let reason: String
    var isRefusal = false
    var retryAfter: Int64?
    switch answer {
    case .status(200...299, _): return .sent
    case .status(let status, let header):
      reason = "the channel answered \(status)"
      isRefusal = !(status == 408 || status == 425 || status == 429 || (500...599).contains(status))
      retryAfter = header.flatMap { RetryAfter.milliseconds($0, now: now) }
    case .notTaken:
      reason = "the gateway answered that it did not take the message"
      isRefusal = true
    case .networkFailure(let text), .notSent(let text): reason = text
    case .addressRefused:
      reason = "the channel's address is private"
      isRefusal = true
    }
    if isRefusal, refusals + 1 >= policy.refusalLimit, ageMilliseconds >= policy.refusedAfterMilliseconds {
      return .failed(reason: reason)
    }
    let isOld = ageMilliseconds >= policy.giveUpAfterMilliseconds
    let backoff = backoff(ageMilliseconds: ageMilliseconds, isUrgent: isUrgent, policy: policy)
    if !isUrgent, attempts >= policy.giveUpAttempts, isOld {
      return .failed(reason: "\(reason), for a day")
    }
    let delay = backoff.delayMilliseconds(
      attempt: max(0, attempts - 1), jitter: jitter, retryAfterMilliseconds: retryAfter)
    let shortest = isRefusal ? policy.refusalDelayMilliseconds : 0
    return .retry(
      afterMilliseconds: max(shortest, delay), reason: reason, isRefusal: isRefusal,
      retryAfterMilliseconds: retryAfter.map { min($0, backoff.retryAfterBoundMilliseconds) })
  }

  /// The backoff between attempts.
  static func backoff(ageMilliseconds: Int64, isUrgent: Bool, policy: DeliveryPolicy) -> Backoff {
    isUrgent && ageMilliseconds < policy.giveUpAfterMilliseconds ? .emergency : .routine
  }
}
