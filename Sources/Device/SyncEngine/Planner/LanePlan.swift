import LocalStore
import Model
import PlantedBugs
import Wire

/// The planner's state for one lane. Times use the monotonic clock, so wall-clock jumps cannot delay it.
struct LanePlan: Hashable, Sendable {
  let lane: Lane
  /// Consecutive failures, for the backoff.
  var failures = 0
  /// The next retry time; nil if nothing failed in this run.
  var notBeforeMilliseconds: Int64?
  /// The last failure was in the route to the server, so any success ends the wait.
  var waitsForRoute = false
  /// How many times in a row the server was reached and accepted nothing.
  private(set) var refusals = 0
  var limits: BatchLimits
  var budget: RetryBudget
  var suspicion = Suspicion.none

  /// Our server refused a single-item request as malformed. Before the item is parked, an empty probe tells whether the item
  /// or the request itself is at fault.
  enum Suspicion: Hashable, Sendable {
    case none, toProbe, probed
  }

  init(_ lane: Lane, _ sizes: ExchangeSizes = .usual) {
    self.lane = lane
    limits = .of(lane, sizes)
    budget = lane == .emergency ? .emergency : .routine
  }

  var isRetry: Bool { failures > 0 }

  /// It waits for the server rather than for a free path, so other traffic may go first.
  var yieldsPath: Bool { refusals >= 3 }

  /// Restores the backoff that an earlier run stored.
  mutating func adopt(_ state: LaneState, at now: Moment) {
    failures = max(failures, state.attempts)
    guard let next = state.nextAttemptAt, state.count > 0 else { return }
    let wait = next.milliseconds(since: now.wall)
    // Later than the longest possible delay: the wall clock was set back after it was stored.
    guard wait <= Backoff.of(lane).longestDelayMilliseconds || PlantedBug.waitsByWallClock.isPlanted else { return }
    notBeforeMilliseconds = now.monotonicMilliseconds + max(0, wait)
  }

  /// When the lane may be tried; nil if it is empty. A row newer than the last failure makes it due at once.
  func dueMilliseconds(_ state: LaneState, now: Int64) -> Int64? {
    guard state.count > 0 else { return nil }
    let due = state.nextAttemptAt == nil ? now : max(now, notBeforeMilliseconds ?? now)
    guard isRetry, !PlantedBug.retryWithoutBackoff.isPlanted else { return due }
    return max(due, budget.nextTokenMilliseconds(now: now))
  }

  mutating func failed(delayMilliseconds: Int64, waitsForRoute: Bool, now: Int64) {
    failures += 1
    notBeforeMilliseconds = now + delayMilliseconds
    self.waitsForRoute = waitsForRoute
    refusals = waitsForRoute ? 0 : refusals + 1
  }

  mutating func succeeded() {
    failures = 0
    notBeforeMilliseconds = nil
    waitsForRoute = false
    refusals = 0
  }

  /// Retries at `time` as if nothing had failed: the route to the server works again, or may work.
  mutating func forgetFailures(until time: Int64) {
    if failures > 0 { notBeforeMilliseconds = time }
    failures = 0
    waitsForRoute = false
  }
}
