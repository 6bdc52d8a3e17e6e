import LocalStore
import Model
import SyncEngine
import Testing

/// A planner with a manual clock, and a store reduced to two lanes' counts.
struct PlannerDriver {
  var planner: SyncPlanner
  var situation: Situation
  var now: Int64 = 5_000_000
  var wallShift: Int64 = 1_800_000_000_000
  var jitter = 1.0
  /// The last exchange or refresh, while it is in flight.
  var call: Call?
  /// The exchange that `call`, an alert, overtook.
  var overtaken: Call?
  var isStreaming = false
  /// What the last stream asked for, and how many were opened.
  var heartbeatSeconds = 0
  private(set) var openings = 0
  private var opened = 0
  var recorded: [SyncFailure] = []
  var delays: [Int64] = []
  var parked: [SyncFailure] = []
  var cancelled = 0
  /// When extra attempts were started.
  var attempts: [Int64] = []
  /// The number of extra attempts that replaced the one before.
  var replaced = 0
  var wake: Int64?
  var finished: SyncFailure??

  static let signedIn = Situation.Credentials.session(accessExpiresAt: Timestamp(milliseconds: .max))
  static let offline = SyncFailure(.offline, "away")

  init(
    _ mode: SyncMode = .continuous, endpoints: Int = 1, credentials: Situation.Credentials = signedIn,
    emergency: Int = 0, routine: Int = 0, hasActiveAlert: Bool = false
  ) {
    planner = SyncPlanner(mode: mode, endpointCount: endpoints)
    situation = Situation(
      credentials: credentials, emergency: LaneState(count: emergency), routine: LaneState(count: routine),
      hasActiveAlert: hasActiveAlert)
  }

  var moment: Moment { Moment(wall: Timestamp(milliseconds: now + wallShift), monotonicMilliseconds: now) }
  var exchange: Exchange? { if case .exchange(let exchange) = call { exchange } else { nil } }
  var purpose: Exchange.Purpose? { exchange?.purpose }
  var isRefreshing: Bool { if case .refresh = call { true } else { false } }

  mutating func start() { tell(.start(situation)) }

  /// Handles an event and carries out the planner's commands.
  mutating func tell(_ event: PlannerEvent) {
    var lane = exchange?.lane ?? .routine
    switch event {
    case .exchange, .refresh: endCall()
    case .stream(.opened): opened = openings
    case .overtaken:
      lane = .routine
      overtaken = nil
    default: break
    }
    for action in planner.receive(event, at: moment, jitter: jitter) { write(action, lane) }
    for action in planner.plan(situation, at: moment, jitter: jitter) { perform(action) }
  }

  private mutating func endCall() { (call, overtaken) = (overtaken, nil) }

  private mutating func write(_ action: StoreAction, _ lane: Lane) {
    switch action {
    case .recordFailure(let failure, let delay):
      recorded.append(failure)
      delays.append(delay)
      let next = moment.wall.advanced(byMilliseconds: delay)
      change(lane) {
        $0.attempts += 1
        $0.nextAttemptAt = next
      }
    case .park(let failure):
      parked.append(failure)
      change(lane) { $0.count -= 1 }
    case .cancelCall:
      cancelled += 1
      endCall()
    }
  }

  private mutating func perform(_ action: PlannerAction) {
    switch action {
    case .start(let next): call = next
    case .overtake(let alert): (call, overtaken) = (.exchange(alert), call)
    case .cancelOvertaken:
      cancelled += 1
      overtaken = nil
    case .startAttempt(let replacesNewest):
      attempts.append(now)
      if replacesNewest { replaced += 1 }
    case .cancelCall:
      cancelled += 1
      endCall()
    case .openStream(_, let seconds):
      isStreaming = true
      heartbeatSeconds = seconds
      openings += 1
    case .cancelStream: isStreaming = false
    case .wake(let time): wake = time
    case .finish(let failure): finished = failure
    }
  }

  mutating func change(_ lane: Lane, _ change: (inout LaneState) -> Void) {
    switch lane {
    case .emergency: change(&situation.emergency)
    case .routine: change(&situation.routine)
    }
  }

  // MARK: Events

  /// Queues items that are newer than any failure.
  mutating func queue(_ lane: Lane, _ count: Int = 1) {
    change(lane) {
      $0.count += count
      $0.newestSequence += Int64(count)
      $0.nextAttemptAt = nil
    }
    tell(.localWork)
  }

  /// Accepts the exchange in flight with all its items.
  mutating func accept(hasMore: Bool = false, isStuck: Bool = false, isRestart: Bool = false, held: Int64 = 0) {
    var items = 0
    if case .push(let lane) = purpose {
      let limit = exchange?.limits.maximumItems ?? 0
      change(lane) {
        items = min(limit, $0.count)
        $0.count -= items
        $0.attempts = 0
        $0.nextAttemptAt = nil
      }
    }
    var accepted = PlannerEvent.Accepted(
      items: items, answered: items, hasMore: hasMore, isStuck: isStuck, isRestart: isRestart)
    accepted.heldMilliseconds = held
    tell(.exchange(.accepted(accepted)))
  }

  /// If the planner opened another stream, it is open now, and what it fetches then is answered. False if there is none.
  @discardableResult mutating func answerOpening() -> Bool {
    guard isStreaming, openings > opened else { return false }
    tell(.stream(.opened))
    while call != nil { accept() }
    return true
  }

  mutating func fail(_ failure: SyncFailure = offline, retryAfter: Int64? = nil, items: Int = 1) {
    tell(.exchange(.failed(failure, retryAfterMilliseconds: retryAfter, items: items, bytes: 500)))
  }

  mutating func refuse(items: Int) {
    tell(.exchange(.rejected(SyncFailure(.rejectedRequest, "malformed"), items: items, bytes: 1000 * items)))
  }

  mutating func unauthorized(isRevoked: Bool = false) {
    tell(.exchange(.unauthorized(SyncFailure(.unauthorized, "who", isRevoked: isRevoked))))
  }

  mutating func pass(_ milliseconds: Int64) {
    now += milliseconds
    tell(.timer)
  }

  /// Lets time pass until the planner's wake-up.
  mutating func passToWake() {
    guard let wake else { return }
    now = max(now, wake)
    tell(.timer)
  }

  /// Lets time pass until something is sent.
  mutating func passToCall() { pass { $0.call != nil } }

  /// Lets time pass from wake-up to wake-up until `condition` holds. With `isAnswered` the server accepts every call.
  /// Records an issue after 1,000 steps.
  mutating func pass(
    isAnswered: Bool = false, sourceLocation: SourceLocation = #_sourceLocation, until condition: (Self) -> Bool
  ) {
    for _ in 0..<1000 where !condition(self) {
      if isAnswered, call != nil { accept() } else { passToWake() }
    }
    if !condition(self) {
      Issue.record("the condition did not hold within 1,000 steps", sourceLocation: sourceLocation)
    }
  }
}
