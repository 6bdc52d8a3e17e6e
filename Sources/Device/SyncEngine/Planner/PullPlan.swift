/// Decides when to fetch, even with nothing to send.
struct PullPlan: Hashable, Sendable {
  /// The earliest time to fetch what the server has or may have; nil if nothing new is known.
  private var wantedAtMilliseconds: Int64?
  var failures = 0
  var notBeforeMilliseconds: Int64?
  /// When the server last accepted a request of any kind.
  var lastContactMilliseconds: Int64?
  /// When changes were last fetched.
  var lastPullMilliseconds: Int64?
  /// Consecutive answers that restarted the pull.
  var restarts = 0
  /// Limits the fetches that the server's announcements trigger.
  private var announcements = RetryBudget.announcements

  /// The server has, or may have, new changes.
  var isWanted: Bool {
    get { wantedAtMilliseconds != nil }
    set { wantedAtMilliseconds = newValue ? .min : nil }
  }

  mutating func isAskedFor(at now: Int64) {
    isWanted = true
    notBeforeMilliseconds = nil
  }

  /// The server announced a change: fetch at once, unless it keeps announcing.
  mutating func isAnnounced(at now: Int64) {
    notBeforeMilliseconds = nil
    guard !isWanted else { return }
    let time = announcements.nextTokenMilliseconds(now: now)
    _ = announcements.take(atMonotonicMilliseconds: time)
    wantedAtMilliseconds = time
  }

  mutating func failed(delayMilliseconds: Int64, now: Int64) {
    failures += 1
    notBeforeMilliseconds = now + delayMilliseconds
  }

  mutating func forgetFailures(until time: Int64) {
    if failures > 0 { notBeforeMilliseconds = time }
    failures = 0
  }

  mutating func succeeded(now: Int64, isWhole: Bool) {
    lastContactMilliseconds = now
    failures = 0
    notBeforeMilliseconds = nil
    if isWhole { lastPullMilliseconds = now }
  }

  /// When the next fetch is due; nil if none is scheduled.
  ///
  /// - Parameters:
  ///   - isSupervised: an alert is active and the run is continuous.
  ///   - isPolled: no stream announces changes and the run is continuous.
  ///   - missedSinceMilliseconds: when reopening the stream first failed, if a stream was open before.
  func dueMilliseconds(
    hasSession: Bool, isSupervised: Bool, isPolled: Bool, missedSinceMilliseconds: Int64?, now: Int64
  ) -> Int64? {
    var due: Int64?
    if let wantedAtMilliseconds, hasSession { due = max(now, wantedAtMilliseconds) }
    if isSupervised {
      let next = lastContactMilliseconds.map { $0 + PlannerTimes.supervision } ?? now
      due = min(due ?? next, next)
    }
    if isPolled, hasSession {
      let next = lastPullMilliseconds.map { max($0, missedSinceMilliseconds ?? $0) + PlannerTimes.poll } ?? now
      due = min(due ?? next, next)
    }
    guard let due else { return nil }
    return max(due, notBeforeMilliseconds ?? due)
  }
}
