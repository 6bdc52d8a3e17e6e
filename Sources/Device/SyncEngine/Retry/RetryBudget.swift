/// A token bucket that limits a lane's retries, or the rate of another action.
///
/// A retry takes a token. A first attempt adds a tenth of one, so retries stay at a tenth of the traffic. A small burst
/// covers the first failures, and a slow refill over time keeps a lane from stopping for good.
package struct RetryBudget: Hashable, Sendable {
  /// Units in one token. Integers, so that simulated runs are reproducible.
  private static let token: Int64 = 1000

  private let capacity: Int64
  private let refillMillisecondsPerToken: Int64
  private var filled: Int64
  private var filledAtMilliseconds: Int64?

  /// Starts full.
  package init(burstTokens: Int64, refillMillisecondsPerToken: Int64) {
    capacity = burstTokens * Self.token
    self.refillMillisecondsPerToken = refillMillisecondsPerToken
    filled = capacity
  }

  package static let emergency = Self(burstTokens: 30, refillMillisecondsPerToken: 5000)
  package static let routine = Self(burstTokens: 10, refillMillisecondsPerToken: 60_000)
  /// For fetches that the server announces: one for each responder who is told or answers.
  static let announcements = Self(burstTokens: 30, refillMillisecondsPerToken: 2000)

  /// Adds a tenth of a token for a first attempt.
  package mutating func earn() {
    filled = min(capacity, filled + Self.token / 10)
  }

  /// Takes a token; false if there is none.
  package mutating func take(atMonotonicMilliseconds now: Int64) -> Bool {
    refill(now)
    guard filled >= Self.token else { return false }
    filled -= Self.token
    return true
  }

  /// When a token is available, on the monotonic clock; `now` if one is.
  package func nextTokenMilliseconds(now: Int64) -> Int64 {
    var later = self
    later.refill(now)
    let missing = max(0, Self.token - later.filled)
    return now + (missing * refillMillisecondsPerToken + Self.token - 1) / Self.token
  }

  private mutating func refill(_ now: Int64) {
    guard let last = filledAtMilliseconds, now > last else {
      filledAtMilliseconds = filledAtMilliseconds ?? now
      return
    }
    // The remainder below one unit is kept for the next refill.
    let parts = min(capacity, (now - last) / max(1, refillMillisecondsPerToken / Self.token))
    guard parts > 0 else { return }
    filled = min(capacity, filled + parts)
    filledAtMilliseconds = now - (now - last) % max(1, refillMillisecondsPerToken / Self.token)
  }
}
