package import LocalStore
package import Model
import Wire

/// Connects the planner to the store: events in, commands out.
///
/// Synchronous: it reads no clock, random source, thread or socket. The shell, or the simulator, passes each event with the
/// moment at which it happened. Not `Sendable`: one thread drives it.
///
/// ```swift
/// for command in coordinator.handle(.start, at: clock.now(), jitter: .random(in: 0..<1)) { perform(command) }
/// ```
package final class SyncCoordinator {
  let store: LocalStore
  var configuration: SyncConfiguration
  var planner: SyncPlanner
  var exchangeInFlight: ExchangeInFlight?
  /// The routine exchange that the alert in flight overtook.
  var overtakenExchange: ExchangeInFlight?
  /// An attempt of the pending emergency timed out in silence, so other idle connections may be dead too.
  var hasMetSilence = false
  /// The answer to a routine exchange, not applied yet: an alert goes first, or the next exchange. The exchange counts as in flight until then.
  var heldAnswer: ReceivedAnswer?
  /// What was sent while that answer is held.
  var ahead: ExchangeAhead?
  var refreshInFlight: RefreshInFlight?
  var streamID: RequestID?
  var serverClock = ServerClock()
  var report = SyncReport()
  /// The exchange whose outcome the planner is processing, so that its result can be recorded.
  var endedExchange: ExchangeInFlight?
  /// The problem with which our server refused that exchange.
  var endedProblem: Problem?
  /// The last applied answers, without their changes. Those to exchanges with the alert key have no changes and no cursor.
  var lastAnswers: [Credential: SyncResponse] = [:]
  /// The state as last read; nil before the first read.
  var state: SyncState?
  /// When the spool and the store were last checked, on the monotonic clock, and whether nothing is left in the spool.
  private var lastLook: Int64 = 0
  private var isSpoolEmpty = true
  /// When somebody began to write what was not checked since.
  private var writtenAt: Int64?
  /// When the planner wants to be called again.
  private var plannedWake: Int64?
  private var lastRequestNumber: UInt64 = 0
  private(set) var isFinished = false

  /// The shell must hold the sender's lease for this object's lifetime, unless the mode works without it.
  package init(
    store: LocalStore, configuration: SyncConfiguration, mode: SyncMode, sizes: ExchangeSizes = .usual
  ) {
    self.store = store
    self.configuration = configuration
    planner = SyncPlanner(mode: mode, endpointCount: configuration.endpoints.count, sizes: sizes)
  }

  /// Whether the event stream is open, so that the server announces changes.
  package var isStreamOpen: Bool { planner.stream.isOpen }

  /// Processes one event. `jitter` is a fresh random number in `0..<1`.
  ///
  /// Returns commands that end with at most one `.wake` or one `.finish`. After `.finish` it returns nothing.
  package func handle(_ event: SyncEvent, at moment: Moment, jitter: Double) -> [SyncCommand] {
    guard !isFinished else { return [] }
    if event == .storeWritten {
      writtenAt = writtenAt ?? moment.monotonicMilliseconds
      return [.wake(atMonotonicMilliseconds: wakeTime(moment))]
    }
    var turn = Turn(at: moment, jitter: jitter)
    takeHeldAnswer(before: event, &turn)
    take(event, &turn)
    repeat {
      while !turn.events.isEmpty { tell(turn.events.removeFirst(), &turn) }
      plan(&turn)
      takeHeldAnswer(&turn)
    } while !turn.events.isEmpty && !isFinished
    if heldAnswer == nil { cancelAhead(&turn) }
    endedExchange = nil
    endedProblem = nil
    plannedWake = turn.wake
    if !isFinished { turn.commands.append(.wake(atMonotonicMilliseconds: wakeTime(moment))) }
    return turn.commands
  }

  /// What was answered before a failure, before the end of this run, or before the answer to what was sent ahead, counts before it.
  private func takeHeldAnswer(before event: SyncEvent, _ turn: inout Turn) {
    let isToAhead = event.isAnswer(to: ahead?.id)
    switch event {
    case .failure, .stop: break
    case .answer where isToAhead: break
    default: return
    }
    takeHeldAnswer(&turn, isDue: true)
    while !turn.events.isEmpty { tell(turn.events.removeFirst(), &turn) }
    if isToAhead { plan(&turn) }
    endedExchange = nil
  }

  /// Translates an event for the planner, and applies answers to the store.
  private func take(_ event: SyncEvent, _ turn: inout Turn) {
    switch event {
    case .start:
      takeInSpool(turn)
      let situation = readSituation(&turn)
      turn.events.insert(.start(situation ?? Situation(credentials: .none)), at: 0)
    case .localWork:
      takeInSpool(turn)
      turn.events.append(.localWork)
    case .networkChanged: turn.events.append(.networkChanged)
    case .timer:
      takeInSpool(turn)
      turn.events.append(.timer)
    case .stop: turn.events.append(.stop)
    case .configurationChanged(let configuration):
      self.configuration = configuration
      turn.events.append(.endpointsChanged(count: configuration.endpoints.count))
    case .answer(let id, let answer): take(answer, of: id, &turn)
    case .failure(let id, let failure): take(failure, of: id, &turn)
    case .progress(let time):
      if exchangeInFlight != nil { turn.events.append(.progress(atMonotonicMilliseconds: time)) }
    case .streamOpened(let id) where id == streamID: turn.events.append(.stream(.opened))
    case .stream(let id, let event) where id == streamID:
      // A heartbeat wakes this process anyway: while they come as asked for, no timer does.
      takeInSpool(turn)
      turn.events.append(.stream(event == .change ? .changed : .heartbeat))
    case .streamSpread(let id, let milliseconds) where id == streamID:
      turn.events.append(.stream(.spread(milliseconds: milliseconds)))
    case .streamOpened, .stream, .streamSpread: break  // of a stream that was cancelled
    case .storeWritten: break  // see `handle`
    }
  }

  /// The attempts of the emergency in flight. The shell reports when their peer was last heard.
  package var emergencyAttempts: [RequestID] {
    guard let exchangeInFlight, exchangeInFlight.exchange.isEmergency else { return [] }
    return exchangeInFlight.attempts.map(\.id)
  }

  private func takeInSpool(_ turn: Turn) {
    // The sending thread must not wait long for a locked store.
    isSpoolEmpty = store.takeInSpool(at: turn.moment, lockWaitMilliseconds: StoreLook.longestLockWaitMilliseconds)
    lastLook = turn.moment.monotonicMilliseconds
    // What is written now may become visible later.
    if let time = writtenAt, lastLook >= time + StoreLook.afterWrite { writtenAt = nil }
  }

  /// Caps the wait at the next check of the store: a process may have been killed between its commit and its poke.
  private func wakeTime(_ moment: Moment) -> Int64? {
    guard !planner.mode.isOnce else { return plannedWake }
    return max(min(plannedWake ?? nextLook, nextLook), moment.monotonicMilliseconds)
  }

  /// When to check the store next, even without an event.
  private var nextLook: Int64 {
    guard isSpoolEmpty else { return lastLook + StoreLook.whileSpoolWaits }
    let atRest = lastLook + planner.stream.heartbeatMilliseconds + StoreLook.afterHeartbeat
    return min(atRest, writtenAt.map { $0 + StoreLook.afterWrite } ?? atRest)
  }

  private func tell(_ event: PlannerEvent, _ turn: inout Turn) {
    for action in planner.receive(event, at: turn.moment, jitter: turn.jitter) { perform(action, &turn) }
  }

  private func plan(_ turn: inout Turn) {
    let actions: [PlannerAction]
    if let situation = readSituation(&turn) {
      while !turn.events.isEmpty { tell(turn.events.removeFirst(), &turn) }
      actions = planner.plan(situation, at: turn.moment, jitter: turn.jitter)
    } else {
      while !turn.events.isEmpty { tell(turn.events.removeFirst(), &turn) }
      actions = planner.planWithoutStore()
    }
    for action in actions { perform(action, &turn) }
  }

  func nextRequestID() -> RequestID {
    lastRequestNumber += 1
    return RequestID(number: lastRequestNumber)
  }

  func finish(_ failure: SyncFailure?, _ turn: inout Turn) {
    isFinished = true
    cancelAhead(&turn)
    report.error = failure
    do throws(LocalStoreError) {
      report.parked = try store.syncState().parked
      report.pending = try store.pendingCount() - report.parked
    } catch {
      turn.commands.append(.storeFailed(error))
      report.error = failure ?? SyncFailure(.store, error.message)
    }
    turn.commands.append(.finish(report))
  }
}

/// When to check the store without being asked to, in milliseconds.
///
/// A process that queues something pokes this one, which looks at once. Killed before that, it has written all the same, and the writing is
/// seen. The look at rest is for file systems that announce neither.
enum StoreLook {
  /// After a heartbeat that did not come: a minute after the last look without a stream, and at most ten minutes and a half with one.
  static let afterHeartbeat: Int64 = 35_000
  /// After somebody wrote to the store or the spool. A commit is visible only when it has been synced.
  static let afterWrite: Int64 = 2000
  static let whileSpoolWaits: Int64 = 5000
  static let longestLockWaitMilliseconds = 200
}

extension SyncConfiguration {
  /// The base URLs in order of preference, without a trailing slash.
  var endpoints: [String] {
    [endpoint, secondEndpoint].compactMap { $0 }.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
  }

  func url(_ endpoint: Endpoint, _ route: String) -> String {
    let bases = endpoints
    guard let base = endpoint == .second ? bases.last : bases.first else { return route }
    return base + route
  }
}
