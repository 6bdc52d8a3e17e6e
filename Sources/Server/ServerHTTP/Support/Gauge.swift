import SystemKit

/// How many are inside, for one who waits until nobody is.
final class Gauge: Sendable {
  private struct State {
    var count = 0
    var isClosed = false
  }

  private let state = Monitor(State())

  /// Counts one more; false, and counts nothing, once it is closed.
  func enter() -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.count += 1
      return true
    }
  }

  /// Counts one less.
  func leave() {
    state.withLock { state in
      state.count -= 1
      if state.count == 0 { self.state.wakeAll() }
    }
  }

  /// Lets nobody enter from now on.
  func close() {
    state.withLock { $0.isClosed = true }
  }

  /// Waits no longer than `milliseconds`; without a limit where nil.
  func waitForZero(milliseconds: Int? = nil) {
    _ = state.wait(until: milliseconds.map { Deadline(millisecondsFromNow: $0) }) { $0.count == 0 ? true : nil }
  }
}
