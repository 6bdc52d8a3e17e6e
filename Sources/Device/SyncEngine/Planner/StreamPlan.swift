import Wire

/// The event stream's state, and when to open it.
struct StreamPlan: Hashable, Sendable {
  enum State: Hashable, Sendable {
    case closed
    case opening(sinceMilliseconds: Int64)
    case open(sinceMilliseconds: Int64, lastHeardMilliseconds: Int64)
  }

  var state = State.closed
  var failures = 0
  var notBeforeMilliseconds: Int64?
  /// It uses an old route, server or session.
  var mustReconnect = false
  /// The period over which the server wants streams to reconnect when all break at once, as it last announced.
  var spreadMilliseconds = StreamSpread.shortestMilliseconds
  /// It was open, and its first reopening is still pending. Reopening fetches what was missed, so nothing polls until then.
  private(set) var isAwaited = false
  /// When the first reopening failed. The device polls from then on.
  private(set) var missedSinceMilliseconds: Int64?

  /// Streams reconnect later than alerts are sent, because a recovering server gets all of them at once. Every attempt,
  /// including the first, is spread over the period that the server asked for.
  private var idleBackoff: Backoff {
    Backoff(
      baseMilliseconds: spreadMilliseconds,
      capMilliseconds: max(Backoff.routine.capMilliseconds, spreadMilliseconds),
      retryAfterBoundMilliseconds: Backoff.routine.retryAfterBoundMilliseconds)
  }

  /// While an alert is active the device syncs every 25 s anyway: the stream only delivers news sooner.
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

  /// When the stream counts as dead; nil while it is closed.
  var deadlineMilliseconds: Int64? {
    switch state {
    case .closed: nil
    case .opening(let since): since + PlannerTimes.streamOpening
    case .open(_, let lastHeard): lastHeard + PlannerTimes.streamSilence
    }
  }

  /// It is closed and its backoff is over.
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
    if case .open(let since, _) = state, now - since >= PlannerTimes.streamHealthyAfter { failures = 0 }
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
    mustReconnect = false
  }

  /// Shortens the wait to the urgent backoff when an alert is raised.
  mutating func becameUrgent(now: Int64, jitter: Double) {
    guard let time = notBeforeMilliseconds else { return }
    notBeforeMilliseconds = min(time, now + Int64(jitter * Double(urgentSpread)))
  }

  /// An alert that waited for the server had the path to itself and was now sent. Other devices waited for the same server,
  /// so an overdue reopening is spread like theirs.
  mutating func heldBack(now: Int64, jitter: Double) {
    guard isDue(now: now) else { return }
    notBeforeMilliseconds = now + Int64(jitter * Double(urgentSpread))
  }

  mutating func networkChanged(until time: Int64) {
    mustReconnect = state != .closed
    failures = 0
    notBeforeMilliseconds = time
  }
}
