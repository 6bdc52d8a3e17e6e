import SystemKit

/// A clock whose time a test sets: whoever sleeps on it sleeps until the test has advanced it far enough.
///
/// ```swift
/// let clock = TestClock()
/// let store = TestStore(initialState: Counter.State()) { Counter() } withDependencies: { $0.continuousClock = clock }
/// await store.send(.startTimer)
/// await clock.advance(by: .seconds(1))
/// await store.receive(.timerTick) { $0.count = 1 }
/// ```
///
/// Sleepers are woken one by one, in the order of their deadlines and, at the same deadline, of their coming. After each
/// one the clock waits until the effects of its `TestStore` have come to rest, so that a sleep begun by one that was woken
/// is seen, however busy the machine. Of code outside of a `TestStore` it cannot know that: it gives way a few times.
public final class TestClock: Clock {
  private let state: Lock<TestClockState>

  /// A clock whose time is `now`.
  public init(now: VirtualInstant = VirtualInstant()) {
    state = Lock(TestClockState(now: now))
  }

  /// What the test has set the time to.
  public var now: VirtualInstant {
    state.withLock { $0.now }
  }

  /// None: it is as exact as a `Duration`.
  public var minimumResolution: Duration { .zero }

  /// Returns when the clock has been advanced to `deadline`. Throws `CancellationError` as soon as the task is cancelled.
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

  /// Adds the sleeper, or gives what to do where there is nothing to wait for.
  ///
  /// A task is marked as cancelled before its handler runs, and the handler takes the lock: either the mark is seen here, or
  /// the handler comes later and finds the sleeper.
  private func add(_ sleeper: TestClockSleeper, to state: inout TestClockState) -> (() -> Void)? {
    if Task.isCancelled { return { sleeper.continuation.resume(throwing: CancellationError()) } }
    if sleeper.deadline <= state.now { return { sleeper.continuation.resume() } }
    state.add(sleeper)
    return nil
  }

  /// Sets the time forward by `duration`, and wakes whoever sleeps until then.
  public func advance(by duration: Duration = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Sets the time forward to `deadline`, and wakes whoever sleeps until then. A time that is past wakes nobody.
  public func advance(to deadline: VirtualInstant) async {
    await settle()
    while let sleeper = state.withLock({ $0.takeNextSleeper(until: deadline) }) {
      sleeper.continuation.resume()
      await settle()
    }
    state.withLock { $0.now = max($0.now, deadline) }
  }

  /// Sets the time forward from sleeper to sleeper, until nobody sleeps any more.
  ///
  /// Where there is still one when `timeout` of the clock's own time has passed, an issue is reported: a timer, for
  /// example, that nobody cancels.
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
      "\(sleeperCount) still sleep on a TestClock that has run for \(timeout).",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Lets everything that can run do so.
  private func settle() async {
    let schedulers = state.withLock { $0.schedulers }
    for scheduler in schedulers { await scheduler.settle() }
    // Whoever sleeps outside of a scheduler can only be given the opportunity to go on: lower priority comes later.
    guard schedulers.isEmpty || state.withLock({ $0.hasUnscheduledSleepers }) else { return }
    for _ in 0..<20 {
      await Task.detached(priority: .background) { await Task.yield() }.value
      await passThroughMainActor()
    }
  }
}
