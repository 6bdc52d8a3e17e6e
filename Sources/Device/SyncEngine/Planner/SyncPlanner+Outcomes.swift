import LocalStore
import Model
import PlantedBugs
import Wire

// Applies the outcome of a call to the planner's state.

extension SyncPlanner {
  mutating func exchangeEnded(
    _ outcome: PlannerEvent.ExchangeOutcome, now: Int64, jitter: Double
  ) -> [StoreAction] {
    guard let exchange = call?.call.exchange else { return [] }
    if case .accepted(let accepted) = outcome {
      noteAnswered(accepted, now: now)
      endCall()
      return exchangeAccepted(accepted, exchange, now: now, jitter: jitter)
    }
    giveUpCall()
    noteTimeout(outcome)
    switch outcome {
    case .accepted, .abandoned: return []
    case .failed(let failure, let retryAfter, let items, let bytes):
      // On a slow path a large request always times out; a small one may arrive.
      if failure.kind == .timeout, items > 1 { halve(exchange, items: items, bytes: bytes, .tooSlow) }
      return exchangeFailed(failure, exchange, retryAfter: retryAfter, now: now, jitter: jitter)
    case .tooLarge(let failure, let isOurs, let items, let bytes):
      if items > 1 { return halve(exchange, items: items, bytes: bytes, .tooLarge) }
      if items == 1, isOurs { return suspect(exchange, failure, now: now, jitter: jitter) }
      return exchangeFailed(failure, exchange, retryAfter: nil, now: now, jitter: jitter)
    case .rejected(let failure, let items, let bytes):
      if items > 1 { return halve(exchange, items: items, bytes: bytes, .suspicious) }
      if items == 1 { return suspect(exchange, failure, now: now, jitter: jitter) }
      return exchangeFailed(failure, exchange, retryAfter: nil, now: now, jitter: jitter)
    case .unauthorized(let failure): return exchangeUnauthorized(failure, exchange, now: now, jitter: jitter)
    }
  }

  private mutating func noteAnswered(_ accepted: PlannerEvent.Accepted, now: Int64) {
    timeoutDoublings = max(0, timeoutDoublings - 1)
    if accepted.isProgress { progressedAtMilliseconds = now }
    guard let call else { return }
    pace.answered(
      after: now - call.startedAtMilliseconds - accepted.heldMilliseconds,
      PathPace.Load(
        sentBytes: accepted.bytes, receivedBytes: accepted.answerBytes, changes: accepted.changes), now: now)
  }

  private mutating func noteTimeout(_ outcome: PlannerEvent.ExchangeOutcome) {
    guard case .failed(let failure, _, _, _) = outcome, failure.kind == .timeout else { return }
    timedOut()
    pace.shrink()
  }

  private mutating func timedOut() {
    timeoutDoublings = min(CallLimits.mostDoublings, timeoutDoublings + 1)
  }

  /// Ends the call without a usable answer: the pull that it carried is wanted again.
  mutating func giveUpCall() {
    if call?.tookPull == true { pull.isWanted = true }
    endCall()
  }

  private mutating func exchangeAccepted(
    _ accepted: PlannerEvent.Accepted, _ exchange: Exchange, now: Int64, jitter: Double
  ) -> [StoreAction] {
    endpoints.succeeded(exchange.endpoint)
    if !exchange.usesAlertKey { tokens.isFresh = false }
    if exchange.lane == .emergency, refusedAlerts.isRefused { isKnownAgain() }
    if case .push(let lane) = exchange.purpose, accepted.answered == 0 {
      return noItemAnswered(accepted, lane, exchange, now: now, jitter: jitter)
    }
    if exchange.isEmergency, emergency.waitsForRoute { stream.heldBack(now: now, jitter: jitter) }
    laneSucceeded(exchange)
    routeWorks(by: exchange.endpoint, now: now)
    pull.succeeded(now: now, isWhole: !accepted.hasMore && !accepted.isRestart && !exchange.usesAlertKey)
    guard !exchange.usesAlertKey else { return [] }
    pull.restarts = accepted.isRestart ? pull.restarts + 1 : accepted.hasMore ? pull.restarts : 0
    if accepted.hasMore || accepted.isRestart { pull.isWanted = true }
    guard accepted.isStuck || pull.restarts > 3 else { return [] }
    return pullNeverTerminates(exchange, now: now, jitter: jitter)
  }

  /// The server takes alerts of this device again, so perhaps its session too.
  private mutating func isKnownAgain() {
    refusedAlerts = RefusalPlan()
    tokens.forgetFailures()
  }

  private mutating func laneSucceeded(_ exchange: Exchange) {
    switch exchange.purpose {
    case .pull: break
    case .probe(let lane): self[lane].suspicion = .probed
    case .push(let lane):
      self[lane].succeeded()
      self[lane].suspicion = .none
      self[lane].limits.grow()
    }
  }

  /// Ends the backoff of lanes that wait because the server could not be reached.
  private mutating func routeWorks(by endpoint: Endpoint, now: Int64) {
    if emergency.waitsForRoute { emergency.forgetFailures(until: now) }
    if routine.waitsForRoute, endpoint == .first { routine.forgetFailures(until: now) }
  }

  /// The server accepted the request but answered none of its items. Retrying at once would loop forever.
  private mutating func noItemAnswered(
    _ accepted: PlannerEvent.Accepted, _ lane: Lane, _ exchange: Exchange, now: Int64, jitter: Double
  ) -> [StoreAction] {
    pull.succeeded(now: now, isWhole: false)
    if accepted.hasMore || accepted.isRestart { pull.isWanted = true }
    guard accepted.items > 0 else {
      let delay = Backoff.of(lane).delayMilliseconds(attempt: self[lane].failures, jitter: jitter)
      self[lane].failed(delayMilliseconds: delay, waitsForRoute: false, now: now)
      return []
    }
    if let retryAfter = accepted.retryAfterMilliseconds {
      return postpone(exchange, retryAfter: retryAfter, now: now, jitter: jitter)
    }
    let failure = SyncFailure(.serverError, "the server did not confirm what was sent")
    return exchangeFailed(failure, exchange, retryAfter: nil, now: now, jitter: jitter)
  }

  /// The server works but takes the items later, perhaps in hours. Pulls do not wait for that.
  private mutating func postpone(
    _ exchange: Exchange, retryAfter: Int64, now: Int64, jitter: Double
  ) -> [StoreAction] {
    let failure = SyncFailure(.rateLimited, "the server is at its limit and will take this later")
    let actions = exchangeFailed(failure, exchange, retryAfter: retryAfter, now: now, jitter: jitter)
    pull.succeeded(now: now, isWhole: false)
    return actions
  }

  /// The pull never terminates: back off.
  private mutating func pullNeverTerminates(_ exchange: Exchange, now: Int64, jitter: Double) -> [StoreAction] {
    let failure = SyncFailure(.serverError, "the server keeps sending changes and never finishes")
    pull.isWanted = true
    guard case .pull = exchange.purpose else {
      pull.failed(
        delayMilliseconds: Backoff.routine.delayMilliseconds(attempt: pull.failures, jitter: jitter), now: now)
      if mode.isOnce { endingFailure = failure }
      return []
    }
    return exchangeFailed(failure, exchange, retryAfter: nil, now: now, jitter: jitter)
  }

  private mutating func exchangeFailed(
    _ failure: SyncFailure, _ exchange: Exchange, retryAfter: Int64?, now: Int64, jitter: Double
  ) -> [StoreAction] {
    let isUrgent = exchange.lane == .emergency
    if failure.mayBeEndpointFailure { endpoints.failed(exchange.endpoint, isUrgent: isUrgent) }
    let goesElsewhere = endpoints.endpoint(isUrgent: isUrgent) != exchange.endpoint
    let delay = Self.delay(
      backoff(after: failure, exchange, now: now), attempt: failures(before: exchange), jitter: jitter,
      retryAfter: goesElsewhere ? nil : retryAfter)
    if let lane = exchange.purpose.pushedLane {
      self[lane].failed(delayMilliseconds: delay, waitsForRoute: failure.isRouteFailure, now: now)
      self[lane].suspicion = .none
    }
    pull.failed(delayMilliseconds: delay, now: now)
    if mode.endsWithFailure {
      failOnceRun(failure, isWorthSecond: goesElsewhere && exchange.endpoint == .first, now: now)
    }
    return [.recordFailure(failure, delayMilliseconds: delay)]
  }

  private mutating func backoff(after failure: SyncFailure, _ exchange: Exchange, now: Int64) -> Backoff {
    guard failure.kind == .unauthorized else { return .of(exchange.lane) }
    return exchange.lane == .emergency ? refusedAlerts.refused(failure, now: now) : .routine
  }

  /// A one-shot run does not retry: in an emergency it tries the second endpoint now, otherwise it ends.
  private mutating func failOnceRun(_ failure: SyncFailure, isWorthSecond: Bool, now: Int64) {
    guard isWorthSecond else {
      endingFailure = failure
      return
    }
    emergency.forgetFailures(until: now)
    pull.forgetFailures(until: now)
  }

  private static func delay(_ backoff: Backoff, attempt: Int, jitter: Double, retryAfter: Int64?) -> Int64 {
    if PlantedBug.retryWithoutBackoff.isPlanted { return 200 }
    return backoff.delayMilliseconds(attempt: attempt, jitter: jitter, retryAfterMilliseconds: retryAfter)
  }

  private func failures(before exchange: Exchange) -> Int {
    exchange.purpose.pushedLane.map { self[$0].failures } ?? pull.failures
  }

  /// Halves the size of the lane's next request, which may go at once: halving ends at one item.
  @discardableResult
  private mutating func halve(
    _ exchange: Exchange, items: Int, bytes: Int, _ excess: BatchLimits.Excess
  ) -> [StoreAction] {
    self[exchange.lane].limits.halve(items: items, bytes: bytes, excess)
    return []
  }

  /// Our server refused a single-item request. An empty probe tells whether the item or the request is at fault.
  private mutating func suspect(
    _ exchange: Exchange, _ failure: SyncFailure, now: Int64, jitter: Double
  ) -> [StoreAction] {
    let lane = exchange.lane
    guard self[lane].suspicion == .probed || PlantedBug.foreign404IsFinal.isPlanted else {
      self[lane].suspicion = .toProbe
      return []
    }
    self[lane].suspicion = .none
    self[lane].succeeded()
    return [.park(failure)]
  }

  private mutating func exchangeUnauthorized(
    _ failure: SyncFailure, _ exchange: Exchange, now: Int64, jitter: Double
  ) -> [StoreAction] {
    guard !exchange.usesAlertKey else {
      if hasSession, !isAlertKeyRefused {
        isAlertKeyRefused = true
        return []  // by the session, now
      }
      return exchangeFailed(failure, exchange, retryAfter: nil, now: now, jitter: jitter)
    }
    let wasFresh = tokens.isFresh
    tokens.isRejected = true
    tokens.isFresh = false
    guard wasFresh else { return [] }
    let delay = Backoff.of(exchange.lane).delayMilliseconds(attempt: tokens.failures, jitter: jitter)
    tokens.failed(failure, delayMilliseconds: delay, now: now)
    if exchange.isEmergency, !isAlertKeyRefused { return [] }  // by the alert key, now
    return exchangeFailed(failure, exchange, retryAfter: nil, now: now, jitter: jitter)
  }

  mutating func refreshEnded(
    _ outcome: PlannerEvent.RefreshOutcome, now: Int64, jitter: Double
  ) -> [StoreAction] {
    guard case .refresh(let endpoint) = call?.call else { return [] }
    call = nil
    switch outcome {
    case .refreshed:
      timeoutDoublings = max(0, timeoutDoublings - 1)
      tokens.refreshed()
      if !hasSession { sessionWorks(now: now) }
      return []
    case .refused(let failure):
      tokens.refused(failure, jitter: jitter, now: now)
      let delay = Backoff.routine.delayMilliseconds(attempt: routine.failures, jitter: jitter)
      return [.recordFailure(failure, delayMilliseconds: delay)]
    case .abandoned: return []
    case .failed(let failure, let retryAfter):
      return refreshFailed(failure, at: endpoint, retryAfter: retryAfter, now: now, jitter: jitter)
    }
  }

  /// The refresh failed with an unknown outcome. Alerts use the alert key meanwhile.
  private mutating func refreshFailed(
    _ failure: SyncFailure, at endpoint: Endpoint, retryAfter: Int64?, now: Int64, jitter: Double
  ) -> [StoreAction] {
    endpoints.failed(endpoint, isUrgent: isUrgent)
    if failure.kind == .timeout { timedOut() }
    let backoff = isUrgent ? Backoff.emergency : Backoff.routine
    let delay = Self.delay(backoff, attempt: tokens.failures, jitter: jitter, retryAfter: retryAfter)
    tokens.failed(failure, delayMilliseconds: delay, now: now)
    if stream.isDue(now: now) {
      // The stream needs the token: waiting for it must not make the stream retry more often.
      stream.ended(isUrgent: isUrgent, retryAfterMilliseconds: retryAfter, now: now, jitter: jitter)
    }
    return [.recordFailure(failure, delayMilliseconds: delay)]
  }

  mutating func streamTold(_ outcome: PlannerEvent.StreamOutcome, now: Int64, jitter: Double) {
    switch outcome {
    case .opened:
      stream.opened(now: now)
      pull.isAskedFor(at: now)  // what changed before it was open was told to nobody
    case .heartbeat: stream.heard(now: now)
    case .changed:
      stream.heard(now: now)
      pull.isAnnounced(at: now)
    case .spread(let milliseconds):
      stream.heard(now: now)
      stream.spreadMilliseconds = StreamSpread.bounded(milliseconds)
    case .unauthorized where !tokens.isFresh:
      tokens.isRejected = true
      stream.closed()
    case .unauthorized:
      stream.ended(isUrgent: isUrgent, retryAfterMilliseconds: nil, now: now, jitter: jitter)
    case .ended(_, let retryAfter):
      stream.ended(isUrgent: isUrgent, retryAfterMilliseconds: retryAfter, now: now, jitter: jitter)
    }
  }

  subscript(lane: Lane) -> LanePlan {
    get {
      switch lane {
      case .emergency: emergency
      case .routine: routine
      }
    }
    _modify {
      switch lane {
      case .emergency: yield &emergency
      case .routine: yield &routine
      }
    }
  }
}

extension Exchange.Purpose {
  /// The lane that this exchange serves; nil for a pull.
  var pushedLane: Lane? {
    switch self {
    case .push(let lane), .probe(let lane): lane
    case .pull: nil
    }
  }
}

extension SyncFailure {
  /// Whether the server was not reached, as opposed to refusing.
  var isRouteFailure: Bool {
    switch kind {
    case .offline, .timeout, .connectionBroken, .tls, .notOurServer: true
    case .serverError, .rejectedRequest, .unauthorized, .rateLimited, .tooLarge, .notSignedIn, .notConfigured,
      .cancelled, .store:
      false
    }
  }

  /// Whether the second endpoint may work instead. A server that does not know this device may be the wrong one.
  var mayBeEndpointFailure: Bool {
    switch kind {
    case .serverError, .rateLimited, .tooLarge: true
    case .unauthorized: !isRevoked
    default: isRouteFailure
    }
  }
}
