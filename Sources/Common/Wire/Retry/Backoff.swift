package import Model

/// The delay after a failure: exponential backoff with full jitter and no attempt limit.
///
/// `delay = jitter × min(cap, base × 2^attempt)`, so devices that failed together do not retry together.
/// (Marc Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.)
package struct Backoff: Hashable, Sendable {
  package let baseMilliseconds: Int64
  package let capMilliseconds: Int64
  /// The longest `Retry-After` that is honored.
  package let retryAfterBoundMilliseconds: Int64

  package init(baseMilliseconds: Int64, capMilliseconds: Int64, retryAfterBoundMilliseconds: Int64) {
    self.baseMilliseconds = baseMilliseconds
    self.capMilliseconds = capMilliseconds
    self.retryAfterBoundMilliseconds = retryAfterBoundMilliseconds
  }

  /// While an alert waits.
  package static let emergency = Self(
    baseMilliseconds: 500, capMilliseconds: 30_000, retryAfterBoundMilliseconds: 5 * 60_000)
  package static let routine = Self(
    baseMilliseconds: 500, capMilliseconds: 15 * 60_000, retryAfterBoundMilliseconds: 60 * 60_000)
  /// Of a session that the server refuses.
  package static let refusedSession = Self(
    baseMilliseconds: 30_000, capMilliseconds: 60 * 60_000, retryAfterBoundMilliseconds: 60 * 60_000)

  package static func of(_ lane: Lane) -> Self {
    switch lane {
    case .emergency: .emergency
    case .routine: .routine
    }
  }

  /// Milliseconds to wait after the failure number `attempt`, counted from 0.
  ///
  /// - Parameters:
  ///   - attempt: any number; the delay stops doubling at the cap.
  ///   - jitter: `0..<1`; other values are clamped.
  ///   - retryAfterMilliseconds: the server's request; honored up to the bound, and never shortens the delay.
  package func delayMilliseconds(attempt: Int, jitter: Double, retryAfterMilliseconds: Int64? = nil) -> Int64 {
    let share = jitter.isFinite ? min(max(jitter, 0), 1) : 1
    let delay = Int64(share * Double(boundMilliseconds(attempt: attempt)))
    guard let retryAfterMilliseconds else { return delay }
    return max(delay, min(retryAfterMilliseconds, retryAfterBoundMilliseconds))
  }

  /// The longest possible delay. A stored retry time farther away was stored before the wall clock was set back.
  package var longestDelayMilliseconds: Int64 { max(capMilliseconds, retryAfterBoundMilliseconds) }

  private func boundMilliseconds(attempt: Int) -> Int64 {
    var bound = min(baseMilliseconds, capMilliseconds)
    var doublings = max(0, attempt)
    while doublings > 0, bound < capMilliseconds {
      bound = min(capMilliseconds, bound * 2)
      doublings -= 1
    }
    return bound
  }
}
