import LocalStore
package import Model
import PlantedBugs

/// Decides what the device sends to the server, and when.
///
/// A pure value: its next state depends only on its state, the event, the situation, the moment and the jitter. `receive` takes
/// an event and returns what to record; `plan` then returns what to do. One call (an exchange or a refresh) is in flight at a
/// time, besides the event stream and a routine exchange that an alert overtakes.
///
/// - A new alert is tried at once, whatever failed before, and then with the emergency backoff. It has the path to itself: a
///   routine call in flight ends soon or is cancelled, and none starts while an alert waits, not even during its backoff. On a
///   quick path the alert does not wait for that: it goes beside the call.
/// - No network event cancels an alert in flight: a second attempt on a fresh connection races it, as after 3 s of silence.
/// - Nothing is ever abandoned. A failure only determines when to retry.
/// - An item is parked only if our own server refuses it alone, and only after an empty probe was accepted.
package struct SyncPlanner: Sendable, Equatable {
  let mode: SyncMode
  let sizes: ExchangeSizes
  var endpointCount: Int
  var endpoints: EndpointChoice
  var emergency = LanePlan(.emergency)
  var routine: LanePlan
  var pull = PullPlan()
  var tokens = TokenPlan()
  var stream = StreamPlan()
  var storeGate = StoreGate()
  var pace: PathPace
  /// How many times the timeouts are doubled: one more for each request that times out, one less for each that is answered.
  var timeoutDoublings = 0
  /// The server refused the alert key while a session exists: alerts use the session until it is replaced.
  var isAlertKeyRefused = false
  var refusedAlerts = RefusalPlan()
  var call: CallInFlight?
  /// The routine exchange beside which the alert in `call` is sent.
  var overtaken: CallInFlight?
  /// The failure that ends a one-shot run.
  var endingFailure: SyncFailure?
  var startedAtMilliseconds: Int64?
  /// When an answer last took an item or brought a change.
  var progressedAtMilliseconds: Int64?
  var isStopping = false
  var isFinished = false
  /// `Situation.isUrgent` as of the last `plan`.
  var isUrgent = false
  var hasSession = false

  struct CallInFlight: Hashable, Sendable {
    var call: Call
    var startedAtMilliseconds: Int64
    /// Its route, server or session has been replaced: cancel it and send it again.
    var isStale = false
    /// It carries the wanted pull, which is wanted again if the call fails.
    var tookPull = false
    /// How many attempts of an emergency are in flight: at most two.
    var attempts = 1
    /// How many extra attempts were started.
    var hedges = 0
    var latestAttemptMilliseconds: Int64
    /// When the peer of an attempt was last heard, as the transport reported.
    var lastHeardMilliseconds: Int64?
    /// The route to the server changed after the newest attempt began.
    var routeChangedMilliseconds: Int64?

    init(_ call: Call, at now: Int64) {
      self.call = call
      startedAtMilliseconds = now
      latestAttemptMilliseconds = now
    }

    /// A call that has not been answered for long may wait on the route that is gone.
    mutating func noteRouteChange(now: Int64) {
      if now - startedAtMilliseconds >= PlannerTimes.staleAfter { isStale = true }
    }
  }

  /// The limits of a call that starts now, or of the one in flight.
  package func limits(of call: Call) -> CallLimits { CallLimits.of(call, doublings: timeoutDoublings) }

  package init(mode: SyncMode, endpointCount: Int, sizes: ExchangeSizes = .usual) {
    self.mode = mode
    self.sizes = sizes
    routine = LanePlan(.routine, sizes)
    pace = PathPace(sizes)
    self.endpointCount = endpointCount
    endpoints = Self.choice(count: endpointCount, mode: mode)
  }

  static func choice(count: Int, mode: SyncMode) -> EndpointChoice {
    EndpointChoice(hasSecond: count > 1, failuresBeforeSecond: mode.isOnce ? 1 : 2)
  }

  /// Applies an event, and returns what to record in the store.
  package mutating func receive(_ event: PlannerEvent, at moment: Moment, jitter: Double) -> [StoreAction] {
    let now = moment.monotonicMilliseconds
    var actions: [StoreAction] = []
    switch event {
    case .start(let situation): start(situation, at: moment)
    case .localWork:
      storeGate.open()
      pull.isAskedFor(at: now)
    case .timer: break
    case .networkChanged: networkChanged(now: now, jitter: jitter)
    case .endpointsChanged(let count): endpointsChanged(count, now: now)
    case .sessionReplaced: sessionReplaced(now: now)
    case .exchange(let outcome): actions = exchangeEnded(outcome, now: now, jitter: jitter)
    case .overtaken(let outcome): actions = overtakenEnded(outcome, now: now, jitter: jitter)
    case .refresh(let outcome): actions = refreshEnded(outcome, now: now, jitter: jitter)
    case .stream(let outcome): streamTold(outcome, now: now, jitter: jitter)
    case .storeSucceeded: storeGate = StoreGate()
    case .storeFailed: storeFailed(now: now, jitter: jitter)
    case .attemptFailed: attemptFailed()
    case .progress(let time): progressed(at: time)
    case .stop: isStopping = true
    }
    return actions + expireCall(now: now, jitter: jitter)
  }

  private mutating func start(_ situation: Situation, at moment: Moment) {
    startedAtMilliseconds = moment.monotonicMilliseconds
    isUrgent = situation.isUrgent
    pull.isWanted = !mode.isWithoutLease
    guard !mode.isOnce else { return }  // a person asked for it: try at once
    emergency.adopt(situation.emergency, at: moment)
    routine.adopt(situation.routine, at: moment)
  }

  private mutating func networkChanged(now: Int64, jitter: Double) {
    let soon = now + Int64(jitter * PlannerTimes.networkChangeSpread)
    endpoints.reset()
    refusedAlerts = RefusalPlan()
    emergency.forgetFailures(until: now)
    emergency.limits.reset()
    routine.forgetFailures(until: soon)
    routine.limits.reset()
    pull.forgetFailures(until: isUrgent ? now : soon)
    tokens.forgetFailures()
    stream.networkChanged(until: soon)
    pace = PathPace(sizes)
    overtaken?.noteRouteChange(now: now)
    if call?.call.exchange?.isEmergency == true, !PlantedBug.networkEventCancelsEmergency.isPlanted {
      call?.routeChangedMilliseconds = now
    } else {
      call?.noteRouteChange(now: now)
    }
  }

  private mutating func endpointsChanged(_ count: Int, now: Int64) {
    endpointCount = count
    endpoints = Self.choice(count: count, mode: mode)
    refusedAlerts = RefusalPlan()
    emergency.forgetFailures(until: now)
    routine.forgetFailures(until: now)
    pull.forgetFailures(until: now)
    pull.isWanted = true
    tokens.forgetFailures()
    stream.serverChanged()
    callsAreStale()
  }

  private mutating func sessionReplaced(now: Int64) {
    tokens = TokenPlan()
    sessionWorks(now: now)
    stream.mustReconnect = true
    callsAreStale()
  }

  /// A sign-in, or a refresh after the server had refused the session.
  mutating func sessionWorks(now: Int64) {
    isAlertKeyRefused = false
    refusedAlerts = RefusalPlan()
    emergency.forgetFailures(until: now)
    routine.forgetFailures(until: now)
    pull.forgetFailures(until: now)
    pull.isWanted = true
  }

  private mutating func callsAreStale() {
    call?.isStale = true
    overtaken?.isStale = true
  }

  private mutating func storeFailed(now: Int64, jitter: Double) {
    storeGate.failed(now: now, jitter: jitter)
    if mode.endsWithFailure { endingFailure = SyncFailure(.store, "the device's store cannot be read or written") }
  }
}

extension SyncMode {
  /// The run ends by itself: no event stream, no supervision, no polling.
  var isOnce: Bool { self != .continuous }

  /// The run ends at the first failure that only waiting can fix.
  var endsWithFailure: Bool {
    switch self {
    case .once: true
    case .continuous: false
    case .withoutLease(_, let deadline): deadline != nil
    }
  }

  var isWithoutLease: Bool {
    if case .withoutLease = self { true } else { false }
  }

  var deadlineMilliseconds: Int64? {
    switch self {
    case .once(let deadline, _): deadline
    case .withoutLease(_, let deadline): deadline
    case .continuous: nil
    }
  }

  /// Whether the deadline is counted from the last progress.
  var isDeadlineRenewed: Bool {
    if case .once(_, let isRenewed) = self { isRenewed } else { false }
  }

  /// How long this run waits for the lease's holder before it sends.
  var delayMilliseconds: Int64 {
    if case .withoutLease(let delay, _) = self { delay } else { 0 }
  }
}
