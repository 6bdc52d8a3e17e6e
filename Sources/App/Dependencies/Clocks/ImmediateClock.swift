import SystemKit

/// A clock on which nobody waits: a sleep only sets its time, so that minutes pass at once.
///
/// A timer on it ticks without end until its task is cancelled.
public final class ImmediateClock: Clock {
  private let time: Lock<VirtualInstant>

  /// A clock whose time is `now`.
  public init(now: VirtualInstant = VirtualInstant()) {
    time = Lock(now)
  }

  /// The latest moment that anybody slept until.
  public var now: VirtualInstant {
    time.withLock { $0 }
  }

  /// None: it is as exact as a `Duration`.
  public var minimumResolution: Duration { .zero }

  /// Sets the time to `deadline`, unless it is later already. Throws `CancellationError` in a cancelled task.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
    await Task.yield()
    try Task.checkCancellation()
  }
}
