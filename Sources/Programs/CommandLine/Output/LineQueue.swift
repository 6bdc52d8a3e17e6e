import Dispatch
import SystemKit

/// Output on its way to a terminal or a pipe that may take none: a stopped terminal (Ctrl-S), a reader that does not read.
///
/// A thread of its own writes. Whoever adds something never waits: beyond the capacity it is dropped and counted, and the count
/// is told as soon as the output moves again.
final class LineQueue: Sendable {
  static let capacity = 256

  private struct State {
    var waiting = 0
    var dropped = 0
  }

  private let state = Lock(State())
  private let queue = DispatchQueue(label: "lifesignal.output")
  private let tellDropped: @Sendable (Int) -> Void

  /// - Parameter tellDropped: writes that so many were dropped; on the queue's thread.
  init(tellDropped: @escaping @Sendable (Int) -> Void) {
    self.tellDropped = tellDropped
  }

  /// Has `write` called on the queue's thread, after what was added before, or drops it.
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

  /// Waits until what was added is written, for at most so long.
  func finish(milliseconds: Int) {
    let end = DispatchSemaphore(value: 0)
    queue.async { end.signal() }
    _ = end.wait(timeout: .now() + .milliseconds(milliseconds))
  }
}
