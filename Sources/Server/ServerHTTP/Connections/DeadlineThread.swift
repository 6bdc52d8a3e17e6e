import Glibc
import SystemKit

/// Closes connections that exceed their deadline or make room for others, and sends the heartbeats of event streams: one thread that
/// sleeps until the next deadline.
///
/// libmicrohttpd's own timeout counts only silence: a client that sends a byte now and then would stay forever.
final class DeadlineThread: Sendable {
  /// What happens to a connection at its deadline.
  enum Expiry: Sendable {
    /// A request came too slowly: answer 408 if the connection is not encrypted, then close it.
    case refuseRequest
    /// The connection was idle too long, or its client does not read the answer: close it.
    case cut
  }

  private struct Watch {
    var descriptor: Int32
    var isEncrypted: Bool
    var expiry: Expiry = .cut
    var deadline: Int64?

    /// Ends both directions, after an answer where the client may still read one. The library closes it then.
    mutating func end(with answer: RawAnswer?) {
      deadline = nil
      if let answer, !isEncrypted { answer.send(to: descriptor) }
      shutdown(descriptor, Int32(SHUT_RDWR))
    }
  }

  private struct State {
    var watches: [UInt64: Watch] = [:]
    var roomMakers = RoomMakers()
    var lingering: [LingeringSocket] = []
    var beat: (at: Int64, period: Int64)?
    /// When the thread wakes up.
    var wakeAt: Int64 = 0
    var isStopped = false
  }

  private let state = Lock(State())
  private let pipe: WakePipe
  private let onBeat: @Sendable (DeadlineThread) -> Void
  private let thread: Lock<SystemThread?> = Lock(nil)

  init(onBeat: @escaping @Sendable (DeadlineThread) -> Void) throws(ServerError) {
    guard let pipe = WakePipe() else { throw ServerError(.cannotStart, "no descriptor is left for the server") }
    self.pipe = pipe
    self.onBeat = onBeat
  }

  func start() throws(ServerError) {
    let started = try SystemThread.forServer { [self] in run() }
    thread.withLock { $0 = started }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    pipe.wakeUp()
    thread.withLock { $0 }?.join()
    state.withLock { $0.lingering = [] }
  }

  /// Adds a connection, without a deadline.
  func add(_ id: UInt64, descriptor: Int32, isEncrypted: Bool) {
    state.withLock { $0.watches[id] = Watch(descriptor: descriptor, isEncrypted: isEncrypted) }
  }

  /// Says what the connection does from now on, and replaces its deadline; nil removes it.
  func set(_ id: UInt64, _ stage: RoomMakers.Stage, _ expiry: Expiry = .cut, afterMilliseconds delay: Int64?) {
    let now = monotonicMilliseconds()
    let deadline = delay.map { now + $0 }
    let isSooner = state.withLock { state in
      state.watches[id]?.expiry = expiry
      state.watches[id]?.deadline = deadline
      state.roomMakers.note(id, stage, at: now)
      return deadline.map { $0 < state.wakeAt } ?? false
    }
    if isSooner { pipe.wakeUp() }
  }

  /// Must be called before the descriptor is closed; it is not used afterwards.
  func remove(_ id: UInt64) {
    state.withLock { state in
      state.watches[id] = nil
      state.roomMakers.remove(id)
    }
  }

  /// Closes a connection on which nothing is being answered; false where there is none.
  func makeRoom() -> Bool {
    let now = monotonicMilliseconds()
    return state.withLock { state in
      guard let (id, stage) = state.roomMakers.takeNext(at: now) else { return false }
      state.watches[id]?.end(with: stage == .receiving ? .busy : nil)
      return true
    }
  }

  /// Reads and discards for a moment what the client still sends, so that closing does not lose the last answer.
  func linger(on descriptor: Int32) {
    guard let socket = LingeringSocket(copying: descriptor, at: monotonicMilliseconds()) else { return }
    let isTaken = state.withLock { state in
      guard !state.isStopped, state.lingering.count < 512 else { return false }
      state.lingering.append(socket)
      return true
    }
    if isTaken { pipe.wakeUp() }
  }

  /// Calls `onBeat` every `period` milliseconds; nil stops that.
  func beat(everyMilliseconds period: Int64?) {
    state.withLock { state in
      guard let period else {
        state.beat = nil
        return
      }
      if state.beat == nil { state.beat = (monotonicMilliseconds() + period, period) }
    }
    pipe.wakeUp()
  }

  private func run() {
    while true {
      let now = monotonicMilliseconds()
      let (isStopped, beats) = state.withLock { state in
        (state.isStopped, Self.expire(&state, at: now))
      }
      if isStopped { return }
      if beats { onBeat(self) }
      waitForWork()
    }
  }

  /// Applies the deadlines that are due, with the lock held, so that every descriptor stays open. True if a heartbeat is due.
  private static func expire(_ state: inout State, at now: Int64) -> Bool {
    for (id, watch) in state.watches {
      guard let deadline = watch.deadline, deadline <= now else { continue }
      state.watches[id]?.end(with: watch.expiry == .refuseRequest ? .requestTimeout : nil)
    }
    state.lingering.removeAll { $0.isDone(at: now) }
    guard let beat = state.beat, beat.at <= now else { return false }
    state.beat = (now + beat.period, beat.period)
    return true
  }

  private func waitForWork() {
    let (descriptors, wakeAt) = state.withLock { state in
      var next = state.beat?.at ?? .max
      for watch in state.watches.values { next = min(next, watch.deadline ?? .max) }
      for socket in state.lingering { next = min(next, socket.deadline) }
      state.wakeAt = next
      return ([pipe.descriptor] + state.lingering.map(\.descriptor), next)
    }
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let timeout = wakeAt == .max ? -1 : Int32(clamping: max(0, wakeAt - monotonicMilliseconds()))
    poll(&entries, nfds_t(entries.count), timeout)
    pipe.drain()
  }
}
