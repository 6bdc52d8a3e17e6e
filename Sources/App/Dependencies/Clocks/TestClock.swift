import SystemKit

/// A clock whose time a test sets: a sleep ends when the test has advanced the clock to its deadline.
///
/// ```swift
/// let clock = TestClock()
/// let store = TestStore(initialState: Counter.State()) { Counter() } withDependencies: { $0.continuousClock = clock }
/// await store.send(.startTimer)
/// await clock.advance(by: .seconds(1))
/// await store.receive(.timerTick) { $0.count = 1 }
/// ```
///
/// Sleepers are woken one by one, by deadline and then by arrival. After each one the clock waits until the effects of
/// its `TestStore` are idle, so that it sees the sleep that a woken effect starts, however busy the machine is. It
/// cannot know this of code outside of a `TestStore`: there it yields a few times.
public final class TestClock: Clock {
  private let state: Lock<TestClockState>

  /// Makes a clock whose time is `now`.
  public init(now: VirtualInstant = VirtualInstant()) {
    state = Lock(TestClockState(now: now))
  }

  /// The time that the test has set.
  public var now: VirtualInstant {
    state.withLock { $0.now }
  }

  /// Zero: the clock is as exact as a `Duration`.
  public var minimumResolution: Duration { .zero }

  /// Returns when the clock has been advanced to `deadline`. Throws `CancellationError` as soon as the task is
  /// cancelled.
  public func sleep(until deadline: VirtualInstant, tolerance: Duration? = nil) async throws {
    let scheduler = EffectScheduler.current
    let id = state.withLock { $0.makeSleeperID() }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
        let sleeper = TestClockSleeper(id: id, deadline: deadline, scheduler: scheduler, continuation: continuation)
        state.withLock { add(sleeper, to: &$0) }?()
      }
    } onCancel: {
      state.withLock { $0.removeSleeper(id) }?.continuation.resume(throwing: CancellationError())
    }
  }

  /// Adds the sleeper or, if it need not wait, returns the function that resumes it outside of the lock.
  ///
  /// A task is marked as cancelled before its cancellation handler runs, and the handler takes the lock. So either this
  /// function sees the mark, or the handler runs later and finds the sleeper.
  private func add(_ sleeper: TestClockSleeper, to state: inout TestClockState) -> (() -> Void)? {
    if Task.isCancelled { return { sleeper.continuation.resume(throwing: CancellationError()) } }
    if sleeper.deadline <= state.now { return { sleeper.continuation.resume() } }
    state.add(sleeper)
    return nil
  }

  /// Advances the time by `duration`, and wakes every sleeper whose deadline is reached.
  public func advance(by duration: Duration = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Advances the time to `deadline`, and wakes every sleeper whose deadline is reached. A time in the past wakes no
  /// one.
  public func advance(to deadline: VirtualInstant) async {
    await settle()
    while let sleeper = state.withLock({ $0.takeNextSleeper(until: deadline) }) {
      sleeper.continuation.resume()
      await settle()
    }
    state.withLock { $0.now = max($0.now, deadline) }
  }

  /// Advances the time from deadline to deadline, until there are no sleepers.
  ///
  /// Reports an issue if sleepers are left after `timeout` of the clock's own time, for example a timer that nobody
  /// cancels.
  public func run(
    timeout: Duration = .seconds(3600), fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    await settle()
    let end = now.advanced(by: timeout)
    while let deadline = state.withLock({ $0.nextDeadline }), deadline <= end {
      await advance(to: deadline)
    }
    let sleeperCount = state.withLock { $0.sleeperCount }
    guard sleeperCount > 0 else { return }
    IssueReporting.report(
      "\(sleeperCount == 1 ? "1 task still sleeps" : "\(sleeperCount) tasks still sleep") on a TestClock that has run "
        + "for \(timeout).",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Waits until every task that can run has done so.
  private func settle() async {
    let schedulers = state.withLock { $0.schedulers }
    for scheduler in schedulers { await scheduler.settle() }
    // A task outside of a scheduler cannot be awaited. A task of lower priority most likely runs after it.
    guard schedulers.isEmpty || state.withLock({ $0.hasUnscheduledSleepers }) else { return }
    for _ in 0..<20 {
      await Task.detached(priority: .background) { await Task.yield() }.value
      await passThroughMainActor()
    }
  }
}
