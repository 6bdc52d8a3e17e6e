import Model
import Wire

/// What an answer means for the delivery.
enum DeliveryVerdict: Equatable {
  case sent
  /// Retry after a delay; news is sent as soon as the other side's `Retry-After` allows (nil: at once). A refusal is an answer
  /// that will likely repeat: it is retried for an hour, not a day.
  case retry(afterMilliseconds: Int64, reason: String, isRefusal: Bool, retryAfterMilliseconds: Int64? = nil)
  /// Whether the cause lies with the channel, and not with this server or one of its operator.
  case failed(reason: String, isOfChannel: Bool = true)

  /// - Parameters:
  ///   - attempts: how often it was tried, including this time.
  ///   - refusals: how often it was refused before.
  ///   - ageMilliseconds: since it was queued, or its alert ended, whichever is later.
  ///   - carrier: who answered. What a server of the operator has against the operator says nothing about the responder, and another
  ///     attempt after an unclear one may be another text message, call or mail.
  ///   - isUrgent: its alert is active. It is then retried while that lasts, unless the other side refuses it.
  ///   - jitter: `0..<1`.
  static func of(
    _ answer: DeliveryAnswer, attempts: Int, refusals: Int, ageMilliseconds: Int64, isUrgent: Bool,
    carrier: Carrier = .channel, jitter: Double,
    now: Timestamp, policy: DeliveryPolicy
  ) -> Self {
    let reason: String
    var isRefusal = false
    var retryAfter: Int64?
    switch answer {
    case .status(200...299, _): return .sent
    case .status(let status, let header):
      reason = "\(carrier.name) answered \(status)"
      isRefusal =
        carrier.isOfOperator
        ? status == 400 || status == 422
        : !(status == 408 || status == 425 || status == 429 || (500...599).contains(status))
      retryAfter = header.flatMap { RetryAfter.milliseconds($0, now: now) }
    case .notTaken:
      reason = "\(carrier.name) did not take the message"
      isRefusal = true
    case .mail(let reply) where reply.isTaken: return .sent
    case .mail(let reply):
      reason = reply.refusesRecipient ? "the mail server refused the address" : "the mail server did not take the mail"
      isRefusal = reply.refusesRecipient
    case .networkFailure where carrier.isOfOperator: reason = "\(carrier.name) cannot be reached"
    case .networkFailure(let text), .notSent(let text): reason = text
    case .replaced: reason = Self.replacedReason
    case .unusableURL where carrier.isOfOperator:
      reason = "the URL of \(carrier.name) cannot be used"
    case .unusableURL: return .failed(reason: Channel.unusableReason)
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
      return .failed(
        reason: "\(reason), for a day", isOfChannel: isRefusal || !carrier.isOfOperator && !answer.isOfThisServer)
    }
    let delay = backoff.delayMilliseconds(
      attempt: max(0, attempts - 1), jitter: jitter, retryAfterMilliseconds: retryAfter)
    let shortest = max(
      answer.shortestDelayMilliseconds(through: carrier, attempts: attempts, policy),
      isRefusal ? policy.refusalDelayMilliseconds : 0)
    return .retry(
      afterMilliseconds: max(shortest, delay), reason: reason, isRefusal: isRefusal,
      retryAfterMilliseconds: retryAfter.map { min($0, backoff.retryAfterBoundMilliseconds) })
  }

  static let replacedReason = "a newer message took its place"

  /// The backoff between attempts.
  static func backoff(ageMilliseconds: Int64, isUrgent: Bool, policy: DeliveryPolicy) -> Backoff {
    isUrgent && ageMilliseconds < policy.giveUpAfterMilliseconds ? .emergency : .routine
  }
}

extension DeliveryAnswer {
  fileprivate var isOfThisServer: Bool {
    switch self {
    case .notSent, .replaced: true
    default: false
    }
  }

  /// No attempt follows this one sooner.
  fileprivate func shortestDelayMilliseconds(
    through carrier: Carrier, attempts: Int, _ policy: DeliveryPolicy
  ) -> Int64 {
    // Between messages that may both reach a person: 1 minute, 2, and so on up to 10.
    let spacing = 60_000 * Int64(min(max(attempts, 1), 10))
    switch self {
    case .networkFailure: return carrier == .smsGateway || carrier == .voiceGateway ? spacing : 0
    case .notTaken: return carrier.isOfOperator ? spacing : 0
    // The first time soon: mail programs show two mails with one id as one.
    case .mail(let reply) where reply.code == nil && attempts > 1: return spacing
    // The login, or what the operator must fix: a server that is asked often locks them out.
    case .mail(let reply) where reply.isPermanent && !reply.refusesRecipient: return 60_000
    // A server that is not ready gets a moment (greylisting).
    case .mail: return policy.refusalDelayMilliseconds
    case .status, .notSent, .replaced, .addressRefused, .unusableURL: return 0
    }
  }
}
