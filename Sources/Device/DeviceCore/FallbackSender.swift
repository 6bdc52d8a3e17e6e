package import LocalStore
import Model
import SystemKit

/// Sends what is outside the store while the store cannot take it in. Complements the worker, which sends what the store has.
///
/// Runs on its own thread. While there is nothing to send, only a poke wakes it: every process that notes something outside the
/// store pokes. The worker's own commits do not wake it.
package final class FallbackSender: Sendable {
  private enum State { case idle, running, stopped }

  private let home: HomeDirectory
  private let watcher: StoreWatcher
  private let didSend: @Sendable (EmergencyFromMemory.FallbackOutcome) -> Void
  private let state = Lock(State.idle)

  /// Nil if the home cannot be watched.
  ///
  /// - Parameter didSend: called after each attempt, on the sender's thread.
  package init?(
    _ home: HomeDirectory, didSend: @escaping @Sendable (EmergencyFromMemory.FallbackOutcome) -> Void = { _ in }
  ) {
    guard let watcher = StoreWatcher(home, for: .pokes) else { return nil }
    self.home = home
    self.watcher = watcher
    self.didSend = didSend
  }

  /// Starts, once. If no thread can be started, the next call tries again.
  package func start() {
    let isFirst = state.withLock { state in
      guard state == .idle else { return false }
      state = .running
      return true
    }
    guard isFirst else { return }
    do throws(SystemError) {
      try SystemThread.detach { [self] in run() }
    } catch {
      state.withLock { $0 = .idle }
    }
  }

  /// Makes it check for something to send. Needed because a home that cannot be written cannot signal changes.
  package func look() { watcher.interrupt() }

  /// Makes it end after an attempt in flight.
  package func stop() {
    state.withLock { $0 = .stopped }
    watcher.interrupt()
  }

  private func run() {
    var schedule = FallbackSchedule()
    while state.withLock({ $0 != .stopped }) {
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
