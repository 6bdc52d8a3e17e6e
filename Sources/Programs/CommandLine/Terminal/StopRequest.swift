import Glibc
import SystemKit

/// SIGINT, SIGTERM and SIGHUP as a request that ordinary code sees, in place of an end of the process. A second one ends it at once.
final class StopRequest: Sendable {
  private struct State {
    var isMade = false
    var action: (@Sendable () -> Void)?
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private let state = Lock(State())
  private let pipe: WakePipe

  /// Create it on the main thread, before any other thread: the signals are blocked in it and in all that it starts. Nil if the system has
  /// no descriptor or no thread left.
  init?() {
    guard let pipe = WakePipe() else { return nil }
    self.pipe = pipe
    let before = SignalMask.block(Self.signals)
    do throws(SystemError) {
      try SystemThread.detach { [self] in
        _ = waitForSignal(Self.signals)
        make()
        _ = waitForSignal(Self.signals)
        _exit(ExitStatus.stopped.rawValue)
      }
    } catch {
      before.restore()
      return nil
    }
  }

  var isMade: Bool { state.withLock { $0.isMade } }

  /// Has `action` called when the request is made, on another thread; at once if it was made. Replaces the action before.
  func whenMade(_ action: @escaping @Sendable () -> Void) {
    let isMade = state.withLock { state in
      state.action = action
      return state.isMade
    }
    if isMade { action() }
  }

  /// Waits for the request, at most this long.
  func wait(milliseconds: Int) { _ = pipe.wait(until: Deadline(millisecondsFromNow: milliseconds)) }

  private func make() {
    let action = state.withLock { state in
      state.isMade = true
      return state.action
    }
    pipe.wakeUp()
    action?()
  }
}
