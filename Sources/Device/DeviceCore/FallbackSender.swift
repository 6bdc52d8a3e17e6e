package import LocalStore
import Model
import Synchronization

/// Beside a worker, which sends what the store has: brings to the server what lies outside of it, where the store cannot take it in.
///
/// On a thread of its own, which waits for a poke and for nothing else while there is nothing to send: whoever notes something outside
/// of the store pokes. The worker's own commits do not wake it.
package final class FallbackSender: Sendable {
  private enum State { case idle, running, stopped }

  private let home: HomeDirectory
  private let watcher: StoreWatcher
  private let didSend: @Sendable (EmergencyFromMemory.FallbackOutcome) -> Void
  private let state = Mutex(State.idle)

  /// nil where the home cannot be watched.
  ///
  /// - Parameter didSend: told of each attempt, on the sender's thread.
  package init?(
    _ home: HomeDirectory, didSend: @escaping @Sendable (EmergencyFromMemory.FallbackOutcome) -> Void = { _ in }
  ) {
    guard let watcher = StoreWatcher(home, for: .pokes) else { return nil }
    self.home = home
    self.watcher = watcher
    self.didSend = didSend
  }

  /// Begins, once; where no thread can be started the next call tries again.
  package func start() {
    let isFirst = state.withLock { state in
      guard state == .idle else { return false }
      state = .running
      return true
    }
    if isFirst, DetachedThread.start({ [self] in run() }) != 0 { state.withLock { $0 = .idle } }
  }

  /// Has it look whether something lies outside: a home that cannot be written tells nobody of what is done.
  package func look() { watcher.interrupt() }

  /// Has it end; an attempt that is under way comes to its end.
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
        // Responders would be told of the same call again and again. A command still sends it.
        guard fallback.isNoted else { return }
      }
    }
  }
}

/// When what lies outside of the store is sent from there.
struct FallbackSchedule {
  enum Step: Hashable {
    /// For so many milliseconds, or until something changes; nil: until then alone.
    case wait(milliseconds: Int64?)
    case send
  }

  /// By then the command that noted it has given up, and a store that takes it has it.
  static let graceMilliseconds = Int64(EmergencyFromMemory.limitMilliseconds) + 1000
  static let firstPauseMilliseconds: Int64 = 1000
  static let longestPauseMilliseconds: Int64 = 10_000

  private var due: Int64?
  private var pause = Self.firstPauseMilliseconds

  /// Each attempt is followed by a pause, which doubles.
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
