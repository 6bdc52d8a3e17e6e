import SystemKit

/// A clock on which a sleep only sets the time and returns, so that minutes pass at once.
///
/// A timer on it ticks without pause until its task is cancelled.
public final class ImmediateClock: Clock {
  private let time: Lock<VirtualInstant>

  /// Makes a clock whose time is `now`.
  public init(now: VirtualInstant = VirtualInstant()) {
    time = Lock(now)
  }

  /// The latest deadline of all sleeps.
  public var now: VirtualInstant {
    time.withLock { $0 }
  }

  /// Zero: the clock is as exact as a `Duration`.
  public var minimumResolution: Duration { .zero }

  /// Sets the time to `deadline`, unless the time is already later. Throws `CancellationError` in a cancelled task.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
    await Task.yield()
    try Task.checkCancellation()
  }
}
