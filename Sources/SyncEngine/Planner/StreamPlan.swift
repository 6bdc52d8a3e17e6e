import Wire

/// The event stream: open, or when to open it.
struct StreamPlan: Hashable, Sendable {
  enum State: Hashable, Sendable {
    case closed
    case opening(sinceMilliseconds: Int64)
    case open(sinceMilliseconds: Int64, lastHeardMilliseconds: Int64)
  }

  var state = State.closed
  var failures = 0
  var notBeforeMilliseconds: Int64?
  /// It goes by an old path, server or session.
  var isToBeDropped = false

  /// Streams come back later than alerts: a restarted server has all of them at once.
  static let routineBackoff = Backoff(
    baseMilliseconds: 5000, capMilliseconds: Backoff.routine.capMilliseconds,
    retryAfterBoundMilliseconds: Backoff.routine.retryAfterBoundMilliseconds)

  var isOpen: Bool {
    if case .open = state { true } else { false }
  }

  /// When it counts as dead; nil while it is closed.
  var deadlineMilliseconds: Int64? {
    switch state {
    case .closed: nil
    case .opening(let since): since + PlannerTimes.streamOpening
    case .open(_, let lastHeard): lastHeard + PlannerTimes.streamSilence
    }
  }

  mutating func opened(now: Int64) {
    guard state != .closed else { return }
    state = .open(sinceMilliseconds: now, lastHeardMilliseconds: now)
  }

  mutating func heard(now: Int64) {
    guard case .open(let since, _) = state else { return }
    state = .open(sinceMilliseconds: since, lastHeardMilliseconds: now)
  }

  mutating func ended(isUrgent: Bool, retryAfterMilliseconds: Int64?, now: Int64, jitter: Double) {
    if case .open(let since, _) = state, now - since >= PlannerTimes.streamWellAfter { failures = 0 }
    let backoff = isUrgent ? Backoff.emergency : Self.routineBackoff
    let delay = backoff.delayMilliseconds(
      attempt: failures, jitter: jitter, retryAfterMilliseconds: retryAfterMilliseconds)
    failures += 1
    notBeforeMilliseconds = now + delay
    closed()
  }

  mutating func closed() {
    state = .closed
    isToBeDropped = false
  }

  mutating func networkChanged(until time: Int64) {
    isToBeDropped = state != .closed
    failures = 0
    notBeforeMilliseconds = time
  }
}
