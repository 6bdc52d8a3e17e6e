package import CurlTransport
package import LocalStore
import Model
import SystemKit

/// Sends what is outside the store while the store cannot take it in. Complements the worker, which sends what the store has.
///
/// Runs on its own thread. While there is nothing to send, only a poke wakes it: every process that notes something outside the
/// store pokes. The worker's own commits do not wake it.
package final class FallbackSender: Sendable {
  private enum State { case idle, running(StoreWatcher), stopped }

  private let home: HomeDirectory
  private let didSend: @Sendable (EmergencyFromMemory.FallbackOutcome) -> Void
  private let state = Lock(State.idle)

  /// - Parameter didSend: called after each attempt, on the sender's thread.
  package init(
    _ home: HomeDirectory, didSend: @escaping @Sendable (EmergencyFromMemory.FallbackOutcome) -> Void = { _ in }
  ) {
    self.home = home
    self.didSend = didSend
  }

  /// Starts, once. If the home cannot be watched, or no thread can be started, the next call tries again.
  package func start() {
    state.withLock { state in
      guard case .idle = state, let watcher = StoreWatcher(home, for: .pokes) else { return }
      state = .running(watcher)
      do throws(SystemError) {
        try SystemThread.detach { [self] in run(watcher) }
      } catch {
        state = .idle
      }
    }
  }

  /// Follows the worker: starts with it, and looks again where the store fails.
  package func note(_ notice: SyncWorkerNotice) {
    // Also while it waits for another process's: that may stand still, and hold the store's lock.
    if notice.isOfWork { start() }
    if case .storeFailed = notice { look() }
  }

  /// Makes it check for something to send. Needed because a home that cannot be written cannot signal changes.
  private func look() { state.withLock { if case .running(let watcher) = $0 { watcher.interrupt() } } }

  /// Makes it end after an attempt in flight.
  package func stop() {
    let watcher = state.withLock { state -> StoreWatcher? in
      defer { state = .stopped }
      if case .running(let watcher) = state { return watcher }
      return nil
    }
    watcher?.interrupt()
  }

  private var isStopped: Bool { state.withLock { if case .stopped = $0 { true } else { false } } }

  private func run(_ watcher: StoreWatcher) {
    var schedule = FallbackSchedule()
    while !isStopped {
      let moment = DeviceClock.now()
      switch schedule.next(
        isUnsent: EmergencyAccess.unsentCount(home, at: moment) > 0, now: moment.monotonicMilliseconds)
      {
      case .wait(let milliseconds): _ = watcher.wait(milliseconds: milliseconds)
      case .send:
        guard let fallback = EmergencyFromMemory(home)?.sendUnsent(at: moment) else { continue }
        if fallback.sentCount > 0 { home.poke() }
        didSend(fallback)
        if !fallback.isNoted { schedule.slowDown(at: moment.monotonicMilliseconds) }
      }
    }
  }
}

/// Decides when to send what is outside the store.
struct FallbackSchedule {
  enum Step: Hashable {
    /// Waits this long, or until something changes; nil: only until something changes.
    case wait(milliseconds: Int64?)
    case send
  }

  /// By then the command that noted it has finished, and a working store has taken it in.
  static let graceMilliseconds = Int64(EmergencyFromMemory.limitMilliseconds) + 1000
  static let firstPauseMilliseconds: Int64 = 1000
  static let longestPauseMilliseconds: Int64 = 10_000
  static let slowPauseMilliseconds: Int64 = 60_000

  private var due: Int64?
  private var pause = Self.firstPauseMilliseconds

  /// Where it cannot be noted that the server has what was sent, each attempt sends all of it again: so the next one waits for a minute.
  mutating func slowDown(at now: Int64) { due = now + Self.slowPauseMilliseconds }

  /// The next step. Each attempt is followed by a pause, which doubles.
  ///
  /// - Parameter now: monotonic milliseconds.
  mutating func next(isUnsent: Bool, now: Int64) -> Step {
    guard isUnsent else {
      self = Self()
      return .wait(milliseconds: nil)
    }
    let due = due ?? now + Self.graceMilliseconds
    self.due = due
    guard now >= due else { return .wait(milliseconds: due - now) }
    self.due = now + pause
    pause = min(2 * pause, Self.longestPauseMilliseconds)
    return .send
  }
}
