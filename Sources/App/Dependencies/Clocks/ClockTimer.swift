/// The endless ticks of a timer; each element is the time that the timer has run. Made by `Clock.timer(interval:)`.
///
/// It ends when its task is cancelled. It has no task of its own: between two ticks the iterating task sleeps.
public struct ClockTimer: AsyncSequence, Sendable {
  /// The time that the timer has run.
  public typealias Element = Duration
  /// It never throws: a cancellation ends it.
  public typealias Failure = Never

  private let makeSource: @Sendable () -> any TickSource

  init(_ makeSource: @escaping @Sendable () -> any TickSource) {
    self.makeSource = makeSource
  }

  /// Starts a new timer. Its first tick is one interval after the first call of `next`.
  public func makeAsyncIterator() -> Iterator {
    Iterator(source: makeSource())
  }

  /// Waits for the ticks of a timer.
  public struct Iterator: AsyncIteratorProtocol {
    var source: any TickSource

    /// Waits for the next tick. Returns nil if the task is cancelled.
    public mutating func next() async -> Duration? {
      await source.next(isolation: nil)
    }

    /// Waits for the next tick on the caller's actor. Returns nil if the task is cancelled.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Duration? {
      await source.next(isolation: actor)
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// Makes a timer that ticks every `interval`, counted from the first call of the iterator's `next`.
  ///
  /// ```swift
  /// for await _ in clock.timer(interval: .seconds(1)) {
  ///   await send(.timerTick)
  /// }
  /// ```
  ///
  /// Missed ticks are skipped: the next tick is at the next multiple of `interval`. An interval that is not greater
  /// than zero is reported as an issue, and makes a timer without ticks.
  public func timer(
    interval: Duration, tolerance: Duration? = nil, fileID: StaticString = #fileID, line: UInt = #line,
    column: UInt = #column
  ) -> ClockTimer {
    guard interval > .zero else {
      IssueReporting.report(
        "A timer's interval must be greater than zero, not \(interval). It does not tick.",
        fileID: fileID, line: line, column: column)
      return ClockTimer { NoTicks() }
    }
    return ClockTimer { ClockTicks(clock: self, interval: interval, tolerance: tolerance) }
  }
}
