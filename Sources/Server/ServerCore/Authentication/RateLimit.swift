import Model

/// A limit on events in any window of time. Counts are in the store, so they survive a restart.
///
/// Limits up to `exactLimit` are exact. For larger ones the window is divided into sixty intervals, each with one count, so the store
/// keeps at most 61 rows a key; the window is then up to one interval too long, never too short.
struct RateLimit: Sendable {
  static let exactLimit = 100

  /// A keyed hash: addresses and numbers are not in the table.
  let key: [UInt8]
  let limit: Int
  let windowMilliseconds: Int64

  private var intervalMilliseconds: Int64 { limit <= Self.exactLimit ? 1 : max(1, windowMilliseconds / 60) }

  /// The counts that are within the window at `now`.
  func need(at now: Timestamp) -> RateCountNeed {
    let oldest = now.advanced(byMilliseconds: 1 - reachMilliseconds)
    return RateCountNeed(key: key, range: oldest..<now.advanced(byMilliseconds: 1))
  }

  /// How many count now.
  /// - Parameter counts: those of `need(at: now)`.
  func total(_ counts: [RateCount]) -> Int { counts.reduce(0) { $0 + $1.count } }

  /// How long until one more is allowed, at least 1; nil where it is allowed now.
  /// - Parameter counts: those of `need(at: now)`, oldest first.
  func waitMilliseconds(_ counts: [RateCount], at now: Timestamp) -> Int64? {
    guard limit > 0 else { return windowMilliseconds }
    var total = total(counts)
    for count in counts where total >= limit {
      total -= count.count
      if total < limit { return count.start.advanced(byMilliseconds: reachMilliseconds).milliseconds(since: now) }
    }
    return nil
  }

  /// Counts one more.
  func step(at now: Timestamp) -> RateCountStep {
    let start = Timestamp(milliseconds: now.milliseconds - now.milliseconds % intervalMilliseconds)
    return RateCountStep(key: key, start: start, expiresAt: start.advanced(byMilliseconds: reachMilliseconds))
  }

  /// From the start of an interval until nothing in it counts any more.
  private var reachMilliseconds: Int64 { windowMilliseconds + intervalMilliseconds - 1 }
}
