/// The ticks of a ``ClockTimer`` on one kind of clock.
protocol TickSource {
  mutating func next(isolation actor: isolated (any Actor)?) async -> Duration?
}

/// A timer without ticks.
struct NoTicks: TickSource {
  func next(isolation actor: isolated (any Actor)?) async -> Duration? { nil }
}

/// Ticks on `clock`, at multiples of `interval` after the first call of `next`.
struct ClockTicks<Base: Clock>: TickSource where Base.Duration == Duration {
  let clock: Base
  let interval: Duration
  let tolerance: Duration?
  private var start: Base.Instant?
  private var tickCount: Int128 = 0
  private var isFinished = false

  init(clock: Base, interval: Duration, tolerance: Duration?) {
    self.clock = clock
    self.interval = interval
    self.tolerance = tolerance
  }

  mutating func next(isolation actor: isolated (any Actor)?) async -> Duration? {
    guard !isFinished else { return nil }
    let now = clock.now
    let start = self.start ?? now
    self.start = start
    tickCount = nextTick(elapsed: start.duration(to: now))
    let offset = Duration(attoseconds: interval.attoseconds * tickCount)
    do {
      try await clock.sleep(until: start.advanced(by: offset), tolerance: tolerance)
      return offset
    } catch {
      // A sleep throws only if its task is cancelled or its clock is a `StoppedClock`.
      isFinished = true
      return nil
    }
  }

  /// The number of the next tick: after the last one, and not in the past.
  private func nextTick(elapsed: Duration) -> Int128 {
    let (whole, rest) = elapsed.attoseconds.quotientAndRemainder(dividingBy: interval.attoseconds)
    return max(tickCount + 1, rest == 0 ? whole : whole + 1)
  }
}
