import SystemKit

/// Milliseconds that only move when a test moves them, or by a step with each reading.
final class TestClock: Sendable {
  private struct State {
    var now: Int64 = 1_000_000
    var step: Int64 = 0
  }

  private let state = Lock(State())

  var read: @Sendable () -> Int64 {
    { [self] in
      state.withLock { state in
        state.now += state.step
        return state.now
      }
    }
  }
  func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }
  func advance(milliseconds: Int64) { state.withLock { $0.now += milliseconds } }
  /// What passes with each reading from now on.
  func setStep(milliseconds: Int64) { state.withLock { $0.step = milliseconds } }
}
