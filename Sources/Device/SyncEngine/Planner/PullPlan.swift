/// When to fetch, though there may be nothing to send.
struct PullPlan: Hashable, Sendable {
  /// From when on what the server has, or may have, is to be fetched; nil: there is nothing new that is known of.
  private var wantedAtMilliseconds: Int64?
  var failures = 0
  var notBeforeMilliseconds: Int64?
  /// When the server last took a request of any kind.
  var lastContactMilliseconds: Int64?
  /// When changes were last fetched.
  var lastPullMilliseconds: Int64?
  /// Answers in a row that sent the device back to the start.
  var restarts = 0
  /// Bounds the fetches that the server's announcements cause.
  private var announcements = RetryBudget.announcements

  /// The server has, or may have, something new.
  var isWanted: Bool {
    get { wantedAtMilliseconds != nil }
    set { wantedAtMilliseconds = newValue ? .min : nil }
  }

  mutating func isAskedFor(at now: Int64) {
    isWanted = true
    notBeforeMilliseconds = nil
  }

  /// The server said that something changed: fetched at once, but for a server that goes on saying so.
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

  /// When the next one is due; nil: never by itself.
  ///
  /// - Parameters:
  ///   - isSupervised: an alert is active, and this run goes on.
  ///   - isPolled: no stream tells of changes, and this run goes on.
  ///   - missedSinceMilliseconds: since when there should have been a stream again, if there was one.
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
