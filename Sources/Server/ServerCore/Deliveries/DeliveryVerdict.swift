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
  ///   - isOfGateway: the answer is that of the operator's own SMS gateway. What it has against the operator says nothing about the
  ///     responder, and another attempt after an unclear one may be another text message.
  ///   - isUrgent: its alert is active. It is then retried while that lasts, unless the other side refuses it.
  ///   - jitter: `0..<1`.
  static func of(
    _ answer: DeliveryAnswer, attempts: Int, refusals: Int, ageMilliseconds: Int64, isUrgent: Bool,
    isOfGateway: Bool = false, jitter: Double,
    now: Timestamp, policy: DeliveryPolicy
  ) -> Self {
    let reason: String
    var isRefusal = false
    var retryAfter: Int64?
    switch answer {
    case .status(200...299, _): return .sent
    case .status(let status, let header):
      reason = isOfGateway ? "the SMS gateway answered \(status)" : "the channel answered \(status)"
      isRefusal =
        isOfGateway
        ? status == 400 || status == 422
        : !(status == 408 || status == 425 || status == 429 || (500...599).contains(status))
      retryAfter = header.flatMap { RetryAfter.milliseconds($0, now: now) }
    case .notTaken:
      reason = "the SMS gateway did not take the message"
      isRefusal = true
    case .networkFailure where isOfGateway: reason = "the SMS gateway cannot be reached"
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
    let spacing = isOfGateway && answer.mayHaveArrived ? Self.textSpacingMilliseconds(attempts) : 0
    let shortest = max(spacing, isRefusal ? policy.refusalDelayMilliseconds : 0)
    return .retry(
      afterMilliseconds: max(shortest, delay), reason: reason, isRefusal: isRefusal,
      retryAfterMilliseconds: retryAfter.map { min($0, backoff.retryAfterBoundMilliseconds) })
  }

  /// Between text messages that may both arrive: 1 minute, 2, and so on up to 10.
  private static func textSpacingMilliseconds(_ attempts: Int) -> Int64 { 60_000 * Int64(min(max(attempts, 1), 10)) }

  /// The backoff between attempts.
  static func backoff(ageMilliseconds: Int64, isUrgent: Bool, policy: DeliveryPolicy) -> Backoff {
    isUrgent && ageMilliseconds < policy.giveUpAfterMilliseconds ? .emergency : .routine
  }
}

extension DeliveryAnswer {
  /// A failure after which the message may have arrived all the same.
  fileprivate var mayHaveArrived: Bool {
    switch self {
    case .networkFailure, .notTaken: true
    case .status, .notSent, .addressRefused: false
    }
  }
}
