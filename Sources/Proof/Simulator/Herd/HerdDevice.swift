import LocalStore
import Model
import SyncEngine

/// A device: the real planner, and the few numbers that it reads from a store, kept as the store keeps them.
struct HerdDevice {
  var planner = SyncPlanner(mode: .continuous, endpointCount: 1)
  var situation = Situation(credentials: .session(accessExpiresAt: Timestamp(milliseconds: 0)))
  /// The newest row that shared a lane's last failure.
  private var emergencyFailedThrough: Int64 = 0
  private var routineFailedThrough: Int64 = 0

  /// The call in flight, and the newest rows that it carries.
  private(set) var call: Call?
  private(set) var callNumber = 0
  private var emergencyThrough: Int64 = 0
  private var routineThrough: Int64 = 0

  /// The number of the stream that is open or opening; 0 if there is none.
  private(set) var streamNumber = 0
  var isStreamOpen = false
  private var lastNumber = 0

  /// When the planner wants to be woken, and the time for which a timer is set.
  private(set) var wakeAt: Int64?
  var timerAt: Int64?

  /// Alerts and ends that the server has not accepted: the row, and when it was saved.
  private(set) var waiting: [(row: Int64, savedAt: Int64)] = []

  // MARK: Events

  /// - Returns: what the device sends now.
  mutating func tell(_ event: PlannerEvent, at now: Int64, jitter: Double) -> [HerdRequest] {
    let moment = Self.moment(now)
    situation.serverNow = moment.wall
    let lane = exchange?.lane
    switch event {
    case .exchange, .refresh: call = nil
    default: break
    }
    for action in planner.receive(event, at: moment, jitter: jitter) { write(action, lane, moment) }
    return planner.plan(situation, at: moment, jitter: jitter).compactMap { perform($0) }
  }

  /// Wall time and monotonic time are the same here.
  static func moment(_ now: Int64) -> Moment {
    Moment(wall: Timestamp(milliseconds: 1_800_000_000_000 + now), monotonicMilliseconds: now)
  }

  var exchange: Exchange? { if case .exchange(let exchange) = call { exchange } else { nil } }

  /// The rows of an alert: the mutation and its notification request.
  mutating func save(alertIsActive: Bool, at now: Int64) {
    situation.hasActiveAlert = alertIsActive
    situation.emergency.count += 2
    situation.emergency.newestSequence += 2
    situation.emergency.nextAttemptAt = nil
    waiting.append((situation.emergency.newestSequence, now))
  }

  mutating func saveContact() {
    situation.routine.count += 1
    situation.routine.newestSequence += 1
    situation.routine.nextAttemptAt = nil
  }

  /// The server accepted the exchange in flight: its rows are removed, and the lanes' failures are cleared.
  /// - Returns: when the alerts that it carried were saved.
  mutating func taken() -> [Int64] {
    guard case .push(let lane) = exchange?.purpose else { return [] }
    guard lane == .emergency else {
      Self.take(&situation.routine, through: routineThrough)
      return []
    }
    Self.take(&situation.emergency, through: emergencyThrough)
    defer { waiting.removeAll { $0.row <= emergencyThrough } }
    return waiting.filter { $0.row <= emergencyThrough }.map(\.savedAt)
  }

  private static func take(_ lane: inout LaneState, through row: Int64) {
    // Rows are numbered without gaps here, so the newer rows are the remaining ones.
    lane.count = Int(lane.newestSequence - row)
    lane.attempts = 0
    lane.nextAttemptAt = nil
  }

  mutating func renewToken(at now: Int64, lifetime: Int64) {
    situation.credentials = .session(accessExpiresAt: Self.moment(now + lifetime).wall)
  }

  mutating func streamIsGone() {
    streamNumber = 0
    isStreamOpen = false
  }

  // MARK: The planner's commands

  private mutating func write(_ action: StoreAction, _ lane: Lane?, _ moment: Moment) {
    switch action {
    case .recordFailure(_, let delay):
      let next = moment.wall.advanced(byMilliseconds: delay)
      if lane == .emergency {
        emergencyFailedThrough = emergencyThrough
        Self.failed(&situation.emergency, emergencyFailedThrough, next)
      } else {
        routineFailedThrough = routineThrough
        Self.failed(&situation.routine, routineFailedThrough, next)
      }
    case .park: break  // this server refuses nothing
    case .cancelCall: call = nil
    }
  }

  private static func failed(_ lane: inout LaneState, _ through: Int64, _ next: Timestamp) {
    lane.attempts += 1
    lane.nextAttemptAt = lane.count > 0 && lane.newestSequence > through ? nil : next
  }

  private mutating func perform(_ action: PlannerAction) -> HerdRequest? {
    switch action {
    case .start(let next):
      call = next
      callNumber = nextNumber()
      emergencyThrough = situation.emergency.newestSequence
      routineThrough = situation.routine.newestSequence
      return request(callNumber, kind(of: next))
    // Its exchanges take longer than those of a quick path.
    case .overtake, .cancelOvertaken: break
    case .startAttempt:
      // A duplicate costs the server as much as the first, whose answer arrives sooner; its own answer is ignored.
      return request(nextNumber(), .alert)
    case .cancelCall: call = nil
    case .openStream(_, let seconds):
      streamNumber = nextNumber()
      isStreamOpen = false
      var opening = request(streamNumber, .stream)
      opening.heartbeatSeconds = seconds
      return opening
    case .cancelStream: streamIsGone()
    case .wake(let time): wakeAt = time
    case .finish: break
    }
    return nil
  }

  private func kind(of call: Call) -> HerdRequest.Kind {
    switch call {
    case .refresh: .refresh
    case .exchange(let exchange):
      switch exchange.purpose {
      case .push(let lane), .probe(let lane): lane == .emergency ? .alert : .contacts
      case .pull(let isUrgent): isUrgent ? .supervision : .pull
      }
    }
  }

  private func request(_ number: Int, _ kind: HerdRequest.Kind) -> HerdRequest {
    HerdRequest(number: number, kind: kind, isUrgent: situation.isUrgent)
  }

  private mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }
}
