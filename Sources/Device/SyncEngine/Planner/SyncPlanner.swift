import LocalStore
package import Model
import PlantedBugs

/// Decides what the device says to the server, and when.
///
/// A value: what it does next is a function of its state, the event, the situation, the moment and the jitter, and nothing
/// else. An event is told with `receive`, which says what to write down; then `plan` says what to do. One call (an exchange
/// or a refresh) is in flight at a time, and beside it the event stream.
///
/// - An alert is tried at once when it is new, whatever failed before, and then with the emergency backoff. It has the path
///   for itself: a routine call in flight is over soon or cancelled, and none starts while an alert waits, also in its backoff.
/// - No network event cancels an alert in flight: a second attempt on a fresh connection races it, as after 3 s of silence.
/// - Nothing is given up. A failure only says when to try again.
/// - Only a single item that our own server refuses by itself is parked, and only after an empty request was taken.
package struct SyncPlanner: Sendable, Equatable {
  let mode: SyncMode
  var endpointCount: Int
  var endpoints: EndpointChoice
  var emergency = LanePlan(.emergency)
  var routine = LanePlan(.routine)
  var pull = PullPlan()
  var tokens = TokenPlan()
  var stream = StreamPlan()
  var storeGate = StoreGate()
  var pace = PathPace()
  /// How often the time-outs are doubled: once for each request that timed out, and back with each that is answered.
  var timeoutDoublings = 0
  /// The server refused the alert key though there is a session: alerts go by the session until there is another one.
  var isAlertKeyRefused = false
  var call: CallInFlight?
  /// A `once` run has had the failure that ends it.
  var endingFailure: SyncFailure?
  var startedAtMilliseconds: Int64?
  var isStopping = false
  var isFinished = false
  /// As `plan` last saw it.
  var isUrgent = false
  var hasSession = false

  struct CallInFlight: Hashable, Sendable {
    var call: Call
    var startedAtMilliseconds: Int64
    /// The way, the server or the session it went by is not the present one: to be cancelled and sent again.
    var isDoubtful = false
    /// It took the wish to pull with it, and gives it back if it fails.
    var tookPull = false
    /// Of an emergency, those in flight: at most two.
    var attempts = 1
    /// The extra attempts so far.
    var hedges = 0
    var latestAttemptMilliseconds: Int64
    /// When the peer of an attempt was last heard, as far as the transport told.
    var lastSignMilliseconds: Int64?
    /// The route to the server changed after the newest attempt began.
    var routeChangedMilliseconds: Int64?

    init(_ call: Call, at now: Int64) {
      self.call = call
      startedAtMilliseconds = now
      latestAttemptMilliseconds = now
    }
  }

  /// The bounds of a call that starts now, or of the one in flight.
  package func limits(of call: Call) -> CallLimits { CallLimits.of(call, doublings: timeoutDoublings) }

  package init(mode: SyncMode, endpointCount: Int) {
    self.mode = mode
    self.endpointCount = endpointCount
    endpoints = Self.choice(count: endpointCount, mode: mode)
  }

  static func choice(count: Int, mode: SyncMode) -> EndpointChoice {
    EndpointChoice(hasSecond: count > 1, failuresBeforeSecond: mode.isOnce ? 1 : 2)
  }

  /// Takes in what happened.
  package mutating func receive(_ event: PlannerEvent, at moment: Moment, jitter: Double) -> [StoreAction] {
    let now = moment.monotonicMilliseconds
    var actions: [StoreAction] = []
    switch event {
    case .start(let situation): start(situation, at: moment)
    case .localWork: pull.isAskedFor(at: now)
    case .timer: break
    case .networkChanged: networkChanged(now: now, jitter: jitter)
    case .endpointsChanged(let count): endpointsChanged(count, now: now)
    case .sessionReplaced: sessionReplaced(now: now)
    case .exchange(let outcome): actions = exchangeEnded(outcome, now: now, jitter: jitter)
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
    guard !mode.isOnce else { return }  // asked for by a person: tried at once
    emergency.adopt(situation.emergency, at: moment)
    routine.adopt(situation.routine, at: moment)
  }

  private mutating func networkChanged(now: Int64, jitter: Double) {
    let soon = now + Int64(jitter * PlannerTimes.networkChangeSpread)
    endpoints.reset()
    emergency.forgetFailures(until: now)
    emergency.limits.reset()
    routine.forgetFailures(until: soon)
    routine.limits.reset()
    pull.forgetFailures(until: isUrgent ? now : soon)
    tokens.forgetFailures()
    stream.networkChanged(until: soon)
    pace = PathPace()
    guard let call else { return }
    if call.call.exchange?.isEmergency == true, !PlantedBug.networkEventCancelsEmergency.isPlanted {
      self.call?.routeChangedMilliseconds = now
    } else if now - call.startedAtMilliseconds >= PlannerTimes.doubtfulAfter {
      self.call?.isDoubtful = true
    }
  }

  private mutating func endpointsChanged(_ count: Int, now: Int64) {
    endpointCount = count
    endpoints = Self.choice(count: count, mode: mode)
    emergency.forgetFailures(until: now)
    routine.forgetFailures(until: now)
    pull.forgetFailures(until: now)
    pull.isWanted = true
    tokens.forgetFailures()
    stream.isToBeDropped = true
    call?.isDoubtful = true
  }

  private mutating func sessionReplaced(now: Int64) {
    tokens = TokenPlan()
    isAlertKeyRefused = false
    emergency.forgetFailures(until: now)
    routine.forgetFailures(until: now)
    pull.forgetFailures(until: now)
    pull.isWanted = true
    stream.isToBeDropped = true
    call?.isDoubtful = true
  }

  private mutating func storeFailed(now: Int64, jitter: Double) {
    storeGate.failed(now: now, jitter: jitter)
    if mode.endsWithFailure { endingFailure = SyncFailure(.store, "the device's store cannot be read or written") }
  }
}

extension SyncMode {
  /// It comes to an end by itself: no event stream, no supervision, no polling.
  var isOnce: Bool { self != .continuous }

  /// It ends with the first failure that only time can mend.
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
    case .once(let deadline): deadline
    case .withoutLease(_, let deadline): deadline
    case .continuous: nil
    }
  }

  /// What the holder of the lease has before this run begins to send.
  var delayMilliseconds: Int64 {
    if case .withoutLease(let delay, _) = self { delay } else { 0 }
  }
}
