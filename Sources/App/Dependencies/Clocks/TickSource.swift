/// What a ``ClockTimer`` iterates: the ticks on one kind of clock.
protocol TickSource {
  mutating func next(isolation actor: isolated (any Actor)?) async -> Duration?
}

/// The ticks of a timer that has none.
struct NoTicks: TickSource {
  func next(isolation actor: isolated (any Actor)?) async -> Duration? { nil }
}

/// The ticks on `clock`, at multiples of `interval` from the first call of `next`.
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
      // A sleep ends early only where its task is cancelled, or its clock stopped.
      isFinished = true
      return nil
    }
  }

  /// The number of the first tick that is after the last one and not over yet.
  private func nextTick(elapsed: Duration) -> Int128 {
    let (whole, rest) = elapsed.attoseconds.quotientAndRemainder(dividingBy: interval.attoseconds)
    return max(tickCount + 1, rest == 0 ? whole : whole + 1)
  }
}
