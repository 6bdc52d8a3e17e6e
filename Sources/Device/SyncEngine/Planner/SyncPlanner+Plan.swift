import LocalStore
package import Model
import PlantedBugs
import Wire

// Plans what to do now, and when to plan again.

extension SyncPlanner {
  /// Returns what to do until the next event. Every plan ends with one `.wake`, unless it finishes the run.
  package mutating func plan(_ situation: Situation, at moment: Moment, jitter: Double) -> [PlannerAction] {
    guard !isFinished else { return [] }
    let now = moment.monotonicMilliseconds
    if situation.isUrgent, !isUrgent { stream.becameUrgent(now: now, jitter: jitter) }
    isUrgent = situation.isUrgent
    hasSession = situation.hasSession
    noteWork(situation)
    if isStopping { return finish(nil) }
    var actions = dropOvertaken(now: now) + dropCall(situation, now: now, jitter: jitter)
    if let endingFailure { return actions + finish(endingFailure) }
    planHeartbeats(situation, now: now, jitter: jitter)
    // Before choosing the next step, which may wait for this stream to close.
    actions += dropStream(situation, now: now, jitter: jitter)

    var waitUntil: Int64?
    if call == nil {
      pace.forgetWhenStale(now: now)
      switch nextStep(situation, now: now) {
      case .start where runDeadline.map { $0 <= now } ?? false: return actions + finish(Self.outOfTime)
      case .start(let next):
        begin(next, now: now)
        actions.append(.start(next))
      case .wait(let until) where mode.isOnce && !waitsWithoutLease(until, situation):
        return actions + finish(blockage(situation))
      case .wait(let until): waitUntil = until
      }
    } else {
      switch overtakingStep(situation, now: now) {
      case .start(.exchange(let alert)): actions.append(overtake(by: alert, now: now))
      case .wait(let until): waitUntil = until
      case .start(.refresh), nil: break
      }
      actions += hedge(now: now)
    }
    actions += openStream(situation, now: now)
    return actions + [.wake(atMonotonicMilliseconds: wakeTime(waitUntil, situation, now: now))]
  }

  /// Plans the next read of a store that cannot be read now.
  package mutating func planWithoutStore() -> [PlannerAction] {
    guard !isFinished else { return [] }
    if isStopping { return finish(nil) }
    if let endingFailure { return finish(endingFailure) }
    return [.wake(atMonotonicMilliseconds: storeGate.notBeforeMilliseconds)]
  }

  private mutating func noteWork(_ situation: Situation) {
    // A new alert does not wait because an old one failed.
    if situation.emergency.nextAttemptAt == nil, emergency.failures > 0 {
      emergency.succeeded()
    }
    guard call == nil else { return }
    for lane in Lane.allCases where situation.lane(lane).count == 0 {
      self[lane].limits.reset()
      self[lane].suspicion = .none
    }
  }

  private mutating func finish(_ failure: SyncFailure?) -> [PlannerAction] {
    isFinished = true
    var actions: [PlannerAction] = []
    if overtaken != nil { actions.append(.cancelOvertaken) }
    if call != nil { actions.append(.cancelCall) }
    if stream.state != .closed { actions.append(.cancelStream) }
    (call, overtaken) = (nil, nil)
    stream.closed()
    return actions + [.finish(failure)]
  }

  /// Whether a run beside the lease's holder still waits for an alert's next attempt.
  private func waitsWithoutLease(_ until: Int64?, _ situation: Situation) -> Bool {
    mode.isWithoutLease && until != nil && situation.emergency.count > 0
  }

  /// Why a one-shot run cannot do more; nil if nothing is left to do.
  private func blockage(_ situation: Situation) -> SyncFailure? {
    if mode.isWithoutLease, situation.emergency.count == 0 { return nil }
    if situation.credentials == .none {
      return SyncFailure(.notSignedIn, "not signed in; saved items are sent after sign-in")
    }
    if endpointCount == 0 { return SyncFailure(.notConfigured, "no server is configured") }
    if let failure = tokens.failure, situation.hasSession || failure.kind != .unauthorized { return failure }
    return situation.hasSession ? nil : SyncFailure(.unauthorized, "the session has expired; sign in again")
  }

  mutating func begin(_ next: Call, now: Int64) {
    var inFlight = CallInFlight(next, at: now)
    if let exchange = next.exchange {
      pay(for: exchange, now: now)
      if !exchange.usesAlertKey {
        inFlight.tookPull = pull.isWanted
        pull.isWanted = false
      }
    }
    call = inFlight
  }

  /// A retry spends from its lane's budget; every other exchange adds to it.
  private mutating func pay(for exchange: Exchange, now: Int64) {
    let isRetry = exchange.purpose.pushedLane.map { self[$0].isRetry } ?? (pull.failures > 0)
    guard isRetry else { return self[exchange.lane].budget.earn() }
    _ = self[exchange.lane].budget.take(atMonotonicMilliseconds: now)  // `nextStep` saw the token
  }

  // MARK: The call in flight

  /// Cancels a call on a stale route, or one that an emergency preempts. It is sent again under the same ids.
  private mutating func dropCall(_ situation: Situation, now: Int64, jitter: Double) -> [PlannerAction] {
    guard let inFlight = call else { return [] }
    let isInTheWay = preemptTime(inFlight, situation, now: now).map { $0 <= now } ?? false
    guard inFlight.isStale || isInTheWay else { return [] }
    if case .refresh = inFlight.call, isInTheWay {
      let failure = SyncFailure(.timeout, "the session could not be renewed in time")
      let delay = Backoff.emergency.delayMilliseconds(attempt: tokens.failures, jitter: jitter)
      tokens.failed(failure, delayMilliseconds: delay, now: now)
    } else if isInTheWay {
      pace.shrink()
    }
    giveUpCall()
    return [.cancelCall]
  }

  /// When an emergency preempts the call; nil if it does not.
  private func preemptTime(_ inFlight: CallInFlight, _ situation: Situation, now: Int64) -> Int64? {
    guard
      inFlight.call.exchange?.isEmergency != true, !PlantedBug.emergencyWaitsForRoutine.isPlanted,
      let due = emergency.dueMilliseconds(situation.emergency, now: now)
    else { return nil }
    return max(due, inFlight.startedAtMilliseconds + preemptDelay(of: inFlight.call))
  }

  /// How long an emergency waits for the call. If the alert needs a new token, the wait doubles with each failed refresh: on a
  /// slow path the handshake alone takes seconds, and a refresh that is always cut short never completes.
  private func preemptDelay(of call: Call) -> Int64 {
    guard case .refresh = call, isAlertKeyRefused else { return pace.preemptDelayMilliseconds }
    return PlannerTimes.longestPreemptDelay << min(tokens.failures, CallLimits.mostDoublings)
  }

  /// The call's deadline: the transport should have ended it, its extra attempt is silent too, or the run's time is over.
  private func callDeadline(_ inFlight: CallInFlight) -> Int64 {
    let timeout = Int64(limits(of: inFlight.call).totalTimeoutMilliseconds)
    let own = inFlight.latestAttemptMilliseconds + timeout + PlannerTimes.callGrace
    let hedged = inFlight.hedges > 0 ? max(inFlight.startedAtMilliseconds + timeout, silenceEnd(inFlight)) : own
    return min(own, hedged, runDeadline ?? own)
  }

  private static let outOfTime = SyncFailure(.timeout, "the server did not answer in time")

  private var runDeadline: Int64? {
    guard let limit = mode.deadlineMilliseconds, let startedAtMilliseconds else { return nil }
    let start = mode.isDeadlineRenewed ? progressedAtMilliseconds ?? startedAtMilliseconds : startedAtMilliseconds
    let (sum, overflow) = start.addingReportingOverflow(max(0, limit))
    return overflow ? .max : sum
  }

  /// Ends a call, and a run, whose deadline has passed.
  mutating func expireCall(now: Int64, jitter: Double) -> [StoreAction] {
    guard !isFinished, !isStopping else { return [] }
    guard let inFlight = call, now >= callDeadline(inFlight) else { return [] }
    if let runDeadline, now >= runDeadline { endingFailure = Self.outOfTime }
    let failure = Self.outOfTime
    switch inFlight.call {
    case .exchange:
      let outcome = PlannerEvent.ExchangeOutcome.failed(failure, retryAfterMilliseconds: nil, items: 0, bytes: 0)
      return [.cancelCall] + exchangeEnded(outcome, now: now, jitter: jitter)
    case .refresh:
      return [.cancelCall] + refreshEnded(.failed(failure, retryAfterMilliseconds: nil), now: now, jitter: jitter)
    }
  }

  // MARK: The event stream

  private func isStreamWanted(_ situation: Situation) -> Bool {
    !mode.isOnce && situation.hasSession && endpointCount > 0
  }

  /// Heartbeats are frequent while somebody waits for help, and else as rare as the path allows. An alert on its way comes first.
  private mutating func planHeartbeats(_ situation: Situation, now: Int64, jitter: Double) {
    guard isPathFree(situation) else { return }
    stream.planReplacement(needsNewsSoon: situation.needsNewsSoon, now: now, jitter: jitter)
  }

  /// Whether a stream that opens disturbs no alert.
  private func isPathFree(_ situation: Situation) -> Bool {
    call?.call.exchange?.isEmergency != true && !isPathForEmergency(situation)
  }

  /// When to replace the open stream; nil while it stays.
  private func replacementTime(_ situation: Situation) -> Int64? {
    isPathFree(situation) ? stream.replacement?.atMilliseconds : nil
  }

  /// Closes a stream that is not wanted, uses an old route, has been silent for too long, or gives way to another one.
  private mutating func dropStream(_ situation: Situation, now: Int64, jitter: Double) -> [PlannerAction] {
    guard let deadline = stream.deadlineMilliseconds else { return [] }
    // The handshake of a stream that is still opening would compete with the alert. An open one is nearly silent.
    let isInTheWay = isPathForEmergency(situation) && !stream.isOpen
    if !isStreamWanted(situation) || stream.mustReconnect || isInTheWay {
      stream.closed()
    } else if now >= deadline {
      stream.ended(isSilent: true, isUrgent: isUrgent, retryAfterMilliseconds: nil, now: now, jitter: jitter)
    } else if let time = replacementTime(situation), now >= time {
      stream.closed()
    } else {
      return []
    }
    return [.cancelStream]
  }

  private mutating func openStream(_ situation: Situation, now: Int64) -> [PlannerAction] {
    guard isStreamWanted(situation), let time = streamOpeningTime(situation, now: now), time <= now else { return [] }
    let seconds = stream.opens(needsNewsSoon: situation.needsNewsSoon, now: now)
    return [.openStream(endpoints.endpoint(isUrgent: isUrgent), heartbeatSeconds: seconds)]
  }

  /// When the closed stream may be opened; nil while it waits for another event.
  private func streamOpeningTime(_ situation: Situation, now: Int64) -> Int64? {
    guard
      stream.state == .closed, !needsRefresh(situation), isPathFree(situation)
    else { return nil }
    return max(stream.notBeforeMilliseconds ?? now, storeGate.notBeforeMilliseconds ?? now)
  }

  // MARK: When to plan again

  private func wakeTime(_ waitUntil: Int64?, _ situation: Situation, now: Int64) -> Int64? {
    var times = [waitUntil, runDeadline, stream.deadlineMilliseconds, overtakenDeadline]
    if let call { times += [callDeadline(call), preemptTime(call, situation, now: now), hedgeTime(call)] }
    if isStreamWanted(situation) {
      times += [streamOpeningTime(situation, now: now), replacementTime(situation)]
    }
    return times.compactMap { $0 }.min().map { max($0, now) }
  }
}
