import LocalStore
import Model
import PlantedBugs
import Wire

/// What the planner remembers of one lane, by the monotonic clock: a wall clock that jumps cannot hold it up.
struct LanePlan: Hashable, Sendable {
  let lane: Lane
  /// Failures in a row, for the backoff.
  var failures = 0
  /// When to try again; nil: no failure in this run.
  var notBeforeMilliseconds: Int64?
  /// The last failure was the way to the server, so that any success shows that it is over.
  var waitsForTheWay = false
  /// How often in a row the server was reached and took nothing.
  private(set) var refusals = 0
  var limits: BatchLimits
  var budget: RetryBudget
  var suspicion = Suspicion.none

  /// Our server refused a request of one item as malformed. Before the item is parked, an empty request shows whether it is
  /// the item, or the request around it.
  enum Suspicion: Hashable, Sendable {
    case none, toProbe, probed
  }

  init(_ lane: Lane) {
    self.lane = lane
    limits = .of(lane)
    budget = lane == .emergency ? .emergency : .routine
  }

  var isRetry: Bool { failures > 0 }

  /// It waits for something that an empty path does not mend, so other traffic need not wait with it.
  var yieldsPath: Bool { refusals >= 3 }

  /// Takes over what the store remembers of an earlier run.
  mutating func adopt(_ state: LaneState, at now: Moment) {
    failures = max(failures, state.attempts)
    guard let next = state.nextAttemptAt, state.count > 0 else { return }
    let wait = next.milliseconds(since: now.wall)
    // Farther off than any wait: it was stored before the clock was set back.
    guard wait <= Backoff.of(lane).longestDelayMilliseconds || PlantedBug.waitsByWallClock.isPlanted else { return }
    notBeforeMilliseconds = now.monotonicMilliseconds + max(0, wait)
  }

  /// When it may be tried, nil where it is empty. A row newer than the failure makes it due at once.
  func dueMilliseconds(_ state: LaneState, now: Int64) -> Int64? {
    guard state.count > 0 else { return nil }
    let due = state.nextAttemptAt == nil ? now : max(now, notBeforeMilliseconds ?? now)
    guard isRetry, !PlantedBug.retryWithoutBackoff.isPlanted else { return due }
    return max(due, budget.nextTokenMilliseconds(now: now))
  }

  mutating func failed(delayMilliseconds: Int64, waitsForTheWay: Bool, now: Int64) {
    failures += 1
    notBeforeMilliseconds = now + delayMilliseconds
    self.waitsForTheWay = waitsForTheWay
    refusals = waitsForTheWay ? 0 : refusals + 1
  }

  mutating func succeeded() {
    failures = 0
    notBeforeMilliseconds = nil
    waitsForTheWay = false
    refusals = 0
  }

  /// The way to the server is there again, or may be: tries again at `time`, as if nothing had failed.
  mutating func forgetFailures(until time: Int64) {
    if failures > 0 { notBeforeMilliseconds = time }
    failures = 0
    waitsForTheWay = false
  }
}
