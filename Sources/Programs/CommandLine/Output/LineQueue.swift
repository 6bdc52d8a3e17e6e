import Dispatch
import SystemKit

/// A queue of output for a terminal or a pipe that may block: a stopped terminal (Ctrl-S), a reader that does not read.
///
/// Writes on its own thread. Adding never waits: beyond the capacity lines are dropped and counted, and the count is written as soon
/// as the output moves again.
final class LineQueue: Sendable {
  static let capacity = 256

  private struct State {
    var waiting = 0
    var dropped = 0
  }

  private let state = Lock(State())
  private let queue = DispatchQueue(label: "lifesignal.output")
  private let tellDropped: @Sendable (Int) -> Void

  /// - Parameter tellDropped: writes the number of dropped lines; called on the queue's thread.
  init(tellDropped: @escaping @Sendable (Int) -> Void) {
    self.tellDropped = tellDropped
  }

  /// Calls `write` on the queue's thread, in order, or drops it.
  func add(_ write: @escaping @Sendable () -> Void) {
    let isTaken = state.withLock { state in
      guard state.waiting < Self.capacity else {
        state.dropped += 1
        return false
      }
      state.waiting += 1
      return true
    }
    guard isTaken else { return }
    queue.async { [self] in
      write()
      let dropped = state.withLock { state in
        state.waiting -= 1
        defer { state.dropped = 0 }
        return state.dropped
      }
      if dropped > 0 { tellDropped(dropped) }
    }
  }

  /// Waits until everything added is written, at most this long.
  func finish(milliseconds: Int) {
    let end = DispatchSemaphore(value: 0)
    queue.async { end.signal() }
    _ = end.wait(timeout: .now() + .milliseconds(milliseconds))
  }
}
