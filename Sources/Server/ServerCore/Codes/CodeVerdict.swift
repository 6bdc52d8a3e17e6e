import Model
import Wire

/// What becomes of a one-time code.
enum CodeVerdict: Equatable {
  /// Try it now, and hold it until the lease ends.
  case attempt(until: Timestamp)
  case sent
  case retry(at: Timestamp, reason: String)
  case givenUp(reason: String)

  /// For a code that is due.
  static func ofDue(_ code: StoredCode, hasGateway: Bool, at now: Timestamp, _ policy: CodePolicy) -> Self {
    if let reason = reasonToEnd(code, at: now) { return .givenUp(reason: reason) }
    guard hasGateway else { return .givenUp(reason: "there is no SMS gateway any more") }
    return .attempt(until: now.advanced(byMilliseconds: policy.leaseMilliseconds))
  }

  /// For a code that was attempted.
  /// - Parameter jitter: `0..<1`.
  static func of(
    _ answer: DeliveryAnswer, to code: StoredCode, jitter: Double, at now: Timestamp, _ policy: CodePolicy
  ) -> Self {
    if answer.isAccepted { return .sent }
    let reason = answer.reason
    if answer.isPermanentRefusal { return .givenUp(reason: reason) }
    if let end = reasonToEnd(code, at: now) { return .givenUp(reason: "\(reason), and \(end)") }
    let delay = CodePolicy.backoff.delayMilliseconds(
      attempt: max(0, code.attempts - 1), jitter: jitter, retryAfterMilliseconds: answer.retryAfterMilliseconds(at: now)
    )
    let next = now.advanced(byMilliseconds: max(policy.retryDelayMilliseconds, delay))
    guard next < code.expiresAt else { return .givenUp(reason: "\(reason), and it expires before the next attempt") }
    return .retry(at: next, reason: reason)
  }

  private static func reasonToEnd(_ code: StoredCode, at now: Timestamp) -> String? {
    if code.isUsed { return "it was used" }
    return now >= code.expiresAt ? "it has expired" : nil
  }
}

extension DeliveryAnswer {
  fileprivate var isAccepted: Bool {
    if case .status(200...299, _) = self { true } else { false }
  }

  /// Whether the gateway would answer the same to another attempt.
  fileprivate var isPermanentRefusal: Bool {
    guard case .status(let status, _) = self else { return false }
    return (400..<500).contains(status) && ![408, 425, 429].contains(status)
  }

  /// For the operator's log.
  fileprivate var reason: String {
    switch self {
    case .status(let status, _): "the SMS gateway answered \(status)"
    case .notTaken: "the SMS gateway answered without the expected text"
    case .networkFailure: "the SMS gateway cannot be reached"
    case .notSent(let reason): reason
    case .replaced: DeliveryVerdict.replacedReason
    case .addressRefused: "the address of the SMS gateway is private"
    case .unusableURL: "the URL of the SMS gateway cannot be used"
    case .mail: "the SMS gateway answered as a mail server"
    }
  }

  fileprivate func retryAfterMilliseconds(at now: Timestamp) -> Int64? {
    guard case .status(_, let header?) = self else { return nil }
    return RetryAfter.milliseconds(header, now: now)
  }
}
