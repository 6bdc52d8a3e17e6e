import Synchronization

/// A clock that does not run: a sleep throws `CancellationError` at once.
///
/// It is the clock of a test that sets none. There an effect that sleeps ends as if it had been cancelled, and a timer
/// never ticks, so that a test which is not about time does not have to set a clock.
public final class StoppedClock: Clock {
  private let requestCount = Atomic<Int>(0)

  /// Makes a clock whose count of sleeps is 0.
  public init() {}

  /// Always the clock's beginning.
  public var now: VirtualInstant { VirtualInstant() }

  /// Zero: the clock is as exact as a `Duration`.
  public var minimumResolution: Duration { .zero }

  /// The number of attempts to sleep.
  public var sleepRequestCount: Int {
    requestCount.load(ordering: .acquiring)
  }

  /// Throws `CancellationError` at once.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    requestCount.wrappingAdd(1, ordering: .acquiringAndReleasing)
    throw CancellationError()
  }
}
