import Synchronization

/// A clock that does not run: whoever sleeps on it is let go at once, with `CancellationError`.
///
/// It is the clock of a test that sets none. An effect that waits ends there as if it had been cancelled, and a timer
/// never ticks, so that a test which is not about time need not speak of it.
public final class StoppedClock: Clock {
  private let requestCount = Atomic<Int>(0)

  /// A clock on which nobody has slept.
  public init() {}

  /// Always the beginning.
  public var now: VirtualInstant { VirtualInstant() }

  /// None: it is as exact as a `Duration`.
  public var minimumResolution: Duration { .zero }

  /// How many times somebody tried to sleep.
  public var sleepRequestCount: Int {
    requestCount.load(ordering: .acquiring)
  }

  /// Throws `CancellationError` at once.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    requestCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    throw CancellationError()
  }
}
