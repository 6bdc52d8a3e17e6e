import SystemKit

/// Milliseconds that only move when a test moves them.
final class TestClock: Sendable {
  private let now = Lock<Int64>(1_000_000)

  var read: @Sendable () -> Int64 { { [self] in now.withLock { $0 } } }
  func advance(seconds: Int64) { advance(milliseconds: seconds * 1000) }
  func advance(milliseconds: Int64) { now.withLock { $0 += milliseconds } }
}
