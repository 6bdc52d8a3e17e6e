import Model

/// How many new alerts one credential may bring: a token bucket, kept in the store.
///
/// It holds `AlertRate.burst` alerts and gets one back every `AlertRate.intervalMilliseconds`. Drills may empty the upper quarter of
/// it and alerts that have ended already the upper half, so that there is room for a real one whatever came before. Each credential
/// has its own bucket: who floods with a stolen alert key does not use up what the owner's session may bring. Nothing is refused for
/// good: an alert beyond the rate stays on its device and is taken when the bucket has room again.
///
/// What is stored is the time at which the bucket will be full again (the "theoretical arrival time" of the generic cell rate
/// algorithm, ITU-T I.371), so one row a credential, which may be removed when that time has come.
struct AlertAllowance {
  /// How much may be taken out of the bucket for an alert.
  enum Priority {
    case drill, ended, active
  }

  let rate: AlertRate
  /// Under which the bucket is stored: a keyed hash of the credential.
  let key: [UInt8]
  private let now: Timestamp
  private var fullAt: Timestamp?
  private var isChanged = false

  init(rate: AlertRate, key: [UInt8], now: Timestamp) {
    self.rate = rate
    self.key = key
    self.now = now
  }

  /// Takes one out. Nil where there was room; else how long until there is, at least 1 ms.
  mutating func take(_ priority: Priority, from state: inout AccountState) -> Int64? {
    let fullAt = current(&state)
    let filling = max(0, fullAt.milliseconds(since: now)) + rate.intervalMilliseconds
    let allowed = Int64(rate.burst(priority)) * rate.intervalMilliseconds
    guard filling <= allowed else { return filling - allowed }
    self.fullAt = now.advanced(byMilliseconds: filling)
    isChanged = true
    return nil
  }

  /// What was taken; nil where nothing was.
  var bucket: WriteSet.Bucket? {
    guard isChanged, let fullAt else { return nil }
    return WriteSet.Bucket(key: key, fullAt: fullAt)
  }

  private mutating func current(_ state: inout AccountState) -> Timestamp {
    if let fullAt { return fullAt }
    // A bucket cannot be emptier than empty: a time beyond that was stored before the clock was set back, and says nothing.
    let latest = now.advanced(byMilliseconds: Int64(rate.burst) * rate.intervalMilliseconds)
    let stored = state.bucketFull(key: key) ?? now
    let bounded = stored > latest ? now : stored
    isChanged = bounded != stored
    fullAt = bounded
    return bounded
  }
}

/// How many new alerts one credential may bring, see `AlertAllowance`.
package struct AlertRate: Sendable, Hashable {
  /// At once, as after days without a network.
  package var burst = 100
  /// From one to the next, once the burst is used up.
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

extension Principal {
  /// A name of the token's kind and session; for the keys of counters.
  var credential: String {
    switch self {
    case .anonymous: ""
    case .session(_, let session, _): "session \(session)"
    case .alertKey(_, let session, _): "alert key \(session)"
    }
  }
}
