import LocalStore
import Model
import Wire

/// Decides whether the access token must be refreshed before the next request.
struct TokenPlan: Hashable, Sendable {
  /// The server rejected the token.
  var isRejected = false
  /// Just refreshed and not accepted yet. A second rejection counts as a failure, which prevents a refresh loop.
  var isFresh = false
  var failures = 0
  var notBeforeMilliseconds: Int64?
  /// Why the last refresh failed.
  var failure: SyncFailure?
  /// How often in a row the server refused the refresh token. A new network does not change it.
  private(set) var refusals = 0

  func needsRefresh(expiresAt: Timestamp, serverNow: Timestamp?) -> Bool {
    if isRejected { return true }
    guard !isFresh, let serverNow else { return false }
    return expiresAt.milliseconds(since: serverNow) < PlannerTimes.refreshAhead
  }

  mutating func refreshed() {
    self = Self()
    isFresh = true
  }

  mutating func failed(_ failure: SyncFailure, delayMilliseconds: Int64, now: Int64) {
    failures += 1
    notBeforeMilliseconds = now + delayMilliseconds
    self.failure = failure
  }

  /// The server does not know the token. It may be the wrong server, for a while: the token is tried again, ever more rarely.
  mutating func refused(_ failure: SyncFailure, jitter: Double, now: Int64) {
    let delay = Backoff.refusedSession.delayMilliseconds(attempt: refusals, jitter: jitter)
    let refusals = refusals + 1
    self = Self()
    self.refusals = refusals
    failed(failure, delayMilliseconds: delay, now: now)
  }

  mutating func forgetFailures() {
    failures = 0
    notBeforeMilliseconds = nil
    failure = nil
  }
}

/// Backs off from a store that fails.
struct StoreGate: Hashable, Sendable {
  private var failures = 0
  private(set) var notBeforeMilliseconds: Int64?

  init() {}

  mutating func failed(now: Int64, jitter: Double) {
    // Never zero: a full disk does not recover at once.
    let delay = Backoff.emergency.delayMilliseconds(attempt: failures, jitter: 0.5 + jitter / 2)
    failures += 1
    notBeforeMilliseconds = now + delay
  }

  /// Somebody has just written to the store: one attempt shows at once whether this process can, too.
  mutating func open() { notBeforeMilliseconds = nil }
}
