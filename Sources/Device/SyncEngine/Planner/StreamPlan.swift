import PlantedBugs
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
  private(set) var heartbeat = HeartbeatPlan()
  /// The open stream gives way to one with other heartbeats.
  private(set) var replacement: Replacement?

  struct Replacement: Hashable, Sendable {
    /// See `HeartbeatPlan.steps`.
    var step: Int
    var atMilliseconds: Int64
  }

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
    case .open(_, let lastHeard): lastHeard + heartbeat.askedMilliseconds + PlannerTimes.streamSilence
    }
  }

  /// The time between heartbeats, as far as this device relies on it.
  var heartbeatMilliseconds: Int64 {
    isOpen ? heartbeat.askedMilliseconds : Int64(StreamEvent.heartbeatSeconds * 1000)
  }

  /// It is closed and its backoff is over.
  func isDue(now: Int64) -> Bool { state == .closed && (notBeforeMilliseconds ?? now) <= now }

  /// Opens it, and asks for heartbeats as far apart as may be.
  /// - Returns: the seconds between them.
  mutating func opens(needsNewsSoon: Bool, now: Int64) -> Int {
    state = .opening(sinceMilliseconds: now)
    heartbeat.asks(for: step(needsNewsSoon: needsNewsSoon, now: now))
    return heartbeat.askedSeconds
  }

  private func step(needsNewsSoon: Bool, now: Int64) -> Int {
    needsNewsSoon && !PlantedBug.quietDuringAlert.isPlanted ? 0 : heartbeat.nextStep(now: now)
  }

  /// Plans to replace an open stream whose heartbeats are too rare for what happens, or could be rarer. Spread over time, as many devices may
  /// have the same reason at once, such as a heartbeat that all have heard.
  mutating func planReplacement(needsNewsSoon: Bool, now: Int64, jitter: Double) {
    let wanted = step(needsNewsSoon: needsNewsSoon, now: now)
    guard isOpen, wanted != heartbeat.askedStep else {
      replacement = nil
      return
    }
    guard replacement?.step != wanted else { return }
    let spread = needsNewsSoon ? urgentSpread : spreadMilliseconds
    replacement = Replacement(step: wanted, atMilliseconds: now + Int64(jitter * Double(spread)))
  }

  mutating func opened(now: Int64) {
    guard state != .closed else { return }
    missedSinceMilliseconds = nil
    state = .open(sinceMilliseconds: now, lastHeardMilliseconds: now)
  }

  mutating func heard(now: Int64) {
    guard case .open(let since, let lastHeard) = state else { return }
    heartbeat.heard(after: now - lastHeard)
    state = .open(sinceMilliseconds: since, lastHeardMilliseconds: now)
  }

  /// - Parameter isSilent: its deadline has passed.
  mutating func ended(
    isSilent: Bool = false, isUrgent: Bool, retryAfterMilliseconds: Int64?, now: Int64, jitter: Double
  ) {
    if case .open(let since, let lastHeard) = state {
      if now - since >= PlannerTimes.streamHealthyAfter { failures = 0 }
      if isSilent, let deadlineMilliseconds {
        heartbeat.fellSilent(lateness: now - deadlineMilliseconds, now: now)
      } else {
        heartbeat.broke(after: now - lastHeard, now: now)
      }
    }
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
    replacement = nil
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

  /// The configuration names another server.
  mutating func serverChanged() {
    heartbeat.pathChanged()
    mustReconnect = true
  }

  mutating func networkChanged(until time: Int64) {
    heartbeat.pathChanged()
    mustReconnect = state != .closed
    failures = 0
    notBeforeMilliseconds = time
  }
}
