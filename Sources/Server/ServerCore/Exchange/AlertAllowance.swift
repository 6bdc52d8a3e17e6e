import Model

/// How many new alerts one credential may bring: a token bucket, kept in the store.
///
/// It holds `AlertRate.burst` alerts and regains one every `AlertRate.intervalMilliseconds`. Drills may use a quarter of it and
/// alerts that have already ended half of it, so there is always room for a real one. Each credential has its own bucket, so a stolen
/// alert key cannot exhaust the owner's. Nothing is refused for good: an alert beyond the rate stays queued on its device until the
/// bucket has room.
///
/// What is stored is the time at which the bucket will be full again (the "theoretical arrival time" of the generic cell rate
/// algorithm, ITU-T I.371), one row for each credential. It may be removed when that time has come.
struct AlertAllowance {
  /// How much of the bucket an alert may use.
  enum Priority {
    case drill, ended, active
  }

  let rate: AlertRate
  private let now: Timestamp
  private let stored: Timestamp?
  private(set) var fullAt: Timestamp

  /// - Parameter stored: When the bucket will be full again; nil if it is full.
  init(rate: AlertRate, stored: Timestamp?, now: Timestamp) {
    self.rate = rate
    self.now = now
    self.stored = stored
    // A time beyond that of an empty bucket was stored before the clock was set back, and is ignored.
    let latest = now.advanced(byMilliseconds: Int64(rate.burst) * rate.intervalMilliseconds)
    let known = stored ?? now
    fullAt = known > latest ? now : known
  }

  /// Takes one. Nil if there was room; otherwise the time until there is, at least 1 ms.
  mutating func take(_ priority: Priority) -> Int64? {
    let filling = max(0, fullAt.milliseconds(since: now)) + rate.intervalMilliseconds
    let allowed = Int64(rate.burst(priority)) * rate.intervalMilliseconds
    guard filling <= allowed else { return filling - allowed }
    fullAt = now.advanced(byMilliseconds: filling)
    return nil
  }

  /// Whether it has to be stored.
  var isChanged: Bool { fullAt != stored ?? now }
}

/// How many new alerts one credential may bring, see `AlertAllowance`.
package struct AlertRate: Sendable, Hashable {
  /// How many at once, such as after days without a network.
  package var burst = 100
  /// The time from one to the next after the burst.
  package var intervalMilliseconds: Int64 = 10_000

  package init() {}

  func burst(_ priority: AlertAllowance.Priority) -> Int {
    switch priority {
    case .drill: max(1, burst / 4)
    case .ended: max(1, burst / 2)
    case .active: max(1, burst)
    }
  }
}
