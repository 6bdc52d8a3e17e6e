/// The ticks of a timer, without end; each tells how long the timer has run. Made by `Clock.timer(interval:)`.
///
/// It ends when its task is cancelled. It has no task of its own: between two ticks the task that iterates sleeps.
public struct ClockTimer: AsyncSequence, Sendable {
  /// How long the timer has run.
  public typealias Element = Duration
  /// It throws nothing: a cancellation ends it.
  public typealias Failure = Never

  private let makeSource: @Sendable () -> any TickSource

  init(_ makeSource: @escaping @Sendable () -> any TickSource) {
    self.makeSource = makeSource
  }

  /// Begins anew: the first tick is one interval after its iterator is first asked.
  public func makeAsyncIterator() -> Iterator {
    Iterator(source: makeSource())
  }

  /// Waits for one tick after the other.
  public struct Iterator: AsyncIteratorProtocol {
    var source: any TickSource

    /// The next tick, or nil if the task is cancelled.
    public mutating func next() async -> Duration? {
      await source.next(isolation: nil)
    }

    /// The next tick, or nil if the task is cancelled; on the caller's actor.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> Duration? {
      await source.next(isolation: actor)
    }
  }
}

extension Clock where Duration == Swift.Duration {
  /// A timer that ticks every `interval`, counted from when somebody begins to wait for its first tick.
  ///
  /// ```swift
  /// for await _ in clock.timer(interval: .seconds(1)) {
  ///   await send(.timerTick)
  /// }
  /// ```
  ///
  /// Ticks that nobody waited for are skipped, not caught up with: the next one is at the next multiple of `interval`. One
  /// that is not greater than zero is reported as an issue, and gives a timer without ticks.
  public func timer(
    interval: Duration, tolerance: Duration? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) -> ClockTimer {
    guard interval > .zero else {
      IssueReporting.report(
        "A timer's interval must be greater than zero, not \(interval). It does not tick.",
        fileID: fileID, filePath: filePath, line: line, column: column)
      return ClockTimer { NoTicks() }
    }
    return ClockTimer { ClockTicks(clock: self, interval: interval, tolerance: tolerance) }
  }
}
