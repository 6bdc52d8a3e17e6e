/// A token bucket that bounds how many retries a lane makes, or how often something else is done, whatever else goes wrong.
///
/// A retry takes a token. A first attempt gives a tenth of one, so that retries stay at a tenth of the traffic; a small
/// burst covers the first failures, and a slow refill by time keeps a lane from ever stopping for good.
package struct RetryBudget: Hashable, Sendable {
  /// A token is a thousand of these: whole numbers, so that runs repeat to the bit.
  private static let token: Int64 = 1000

  private let capacity: Int64
  private let refillMillisecondsPerToken: Int64
  private var filled: Int64
  private var filledAtMilliseconds: Int64?

  /// Full at first.
  package init(burstTokens: Int64, refillMillisecondsPerToken: Int64) {
    capacity = burstTokens * Self.token
    self.refillMillisecondsPerToken = refillMillisecondsPerToken
    filled = capacity
  }

  package static let emergency = Self(burstTokens: 30, refillMillisecondsPerToken: 5000)
  package static let routine = Self(burstTokens: 10, refillMillisecondsPerToken: 60_000)
  /// Of fetches that the server asks for: each responder who is told, or answers, is an announcement.
  static let announcements = Self(burstTokens: 30, refillMillisecondsPerToken: 2000)

  /// A first attempt was made.
  package mutating func earn() {
    filled = min(capacity, filled + Self.token / 10)
  }

  /// Takes a token, if there is one.
  package mutating func take(atMonotonicMilliseconds now: Int64) -> Bool {
    refill(now)
    guard filled >= Self.token else { return false }
    filled -= Self.token
    return true
  }

  /// When there will be a token, on the monotonic clock; `now` if there is one.
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
    // What makes less than the smallest part stays for the next time.
    let parts = min(capacity, (now - last) / max(1, refillMillisecondsPerToken / Self.token))
    guard parts > 0 else { return }
    filled = min(capacity, filled + parts)
    filledAtMilliseconds = now - (now - last) % max(1, refillMillisecondsPerToken / Self.token)
  }
}
