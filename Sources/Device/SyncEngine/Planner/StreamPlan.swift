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
  /// Over how long the server wants its streams to come back when all of them break at once, as it last said.
  var spreadMilliseconds = StreamSpread.shortestMilliseconds
  /// It was open, and its first reopening is still to come: that fetches what is missed until then, so that nobody polls.
  private(set) var isAwaited = false
  /// When the first reopening failed. From then on the device polls.
  private(set) var missedSinceMilliseconds: Int64?

  /// Streams come back later than alerts: a server that was away has all of them at once. The first attempt is spread like
  /// all others, over as long as the server asked for.
  private var idleBackoff: Backoff {
    Backoff(
      baseMilliseconds: spreadMilliseconds,
      capMilliseconds: max(Backoff.routine.capMilliseconds, spreadMilliseconds),
      retryAfterBoundMilliseconds: Backoff.routine.retryAfterBoundMilliseconds)
  }

  /// With an alert active the device speaks to the server every 25 s, and hears what is new: the stream only brings it sooner.
  private var urgentBackoff: Backoff {
    Backoff(
      baseMilliseconds: urgentSpread,
      capMilliseconds: 2 * PlannerTimes.urgentStreamSpread,
      retryAfterBoundMilliseconds: Backoff.emergency.retryAfterBoundMilliseconds)
  }

  private var urgentSpread: Int64 { min(spreadMilliseconds, PlannerTimes.urgentStreamSpread) }

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

  /// It is closed, and only something else keeps it from being opened.
  func isDue(now: Int64) -> Bool { state == .closed && (notBeforeMilliseconds ?? now) <= now }

  mutating func opened(now: Int64) {
    guard state != .closed else { return }
    missedSinceMilliseconds = nil
    state = .open(sinceMilliseconds: now, lastHeardMilliseconds: now)
  }

  mutating func heard(now: Int64) {
    guard case .open(let since, _) = state else { return }
    state = .open(sinceMilliseconds: since, lastHeardMilliseconds: now)
  }

  mutating func ended(isUrgent: Bool, retryAfterMilliseconds: Int64?, now: Int64, jitter: Double) {
    if case .open(let since, _) = state, now - since >= PlannerTimes.streamWellAfter { failures = 0 }
    if isAwaited, !isOpen {
      isAwaited = false
      missedSinceMilliseconds = now
    }
    let backoff = isUrgent ? urgentBackoff : idleBackoff
    let delay = backoff.delayMilliseconds(
      attempt: failures, jitter: jitter, retryAfterMilliseconds: retryAfterMilliseconds)
    failures += 1
    notBeforeMilliseconds = now + delay
    closed()
  }

  mutating func closed() {
    if isOpen { isAwaited = true }
    state = .closed
    isToBeDropped = false
  }

  /// An alert was raised: its news do not wait as long as those of an idle device.
  mutating func becameUrgent(now: Int64, jitter: Double) {
    guard let time = notBeforeMilliseconds else { return }
    notBeforeMilliseconds = min(time, now + Int64(jitter * Double(urgentSpread)))
  }

  /// An alert that waited for the server kept the path for itself, and went now. Others waited for that server too: what was
  /// due meanwhile is spread like their streams.
  mutating func heldBack(now: Int64, jitter: Double) {
    guard isDue(now: now) else { return }
    notBeforeMilliseconds = now + Int64(jitter * Double(urgentSpread))
  }

  mutating func networkChanged(until time: Int64) {
    isToBeDropped = state != .closed
    failures = 0
    notBeforeMilliseconds = time
  }
}
