import Dispatch
import SystemKit

/// Runs effects one after the other on a queue of its own, and knows when all of them have come to rest.
///
/// A task made with `Task(executorPreference: scheduler)` and its child tasks run here whatever is isolated to no actor or
/// to a default one. When nothing is queued and nothing runs, every one of them is suspended: it waits for a clock, for
/// the main actor, or for something outside. ``settle()`` also lets the main actor run dry, and so knows which.
package final class EffectScheduler: TaskExecutor {
  /// The scheduler that runs this task. Whoever runs effects on one binds it around them.
  @TaskLocal package static var current: EffectScheduler?

  private struct State {
    /// Jobs that are queued or running.
    var pendingCount = 0
    /// All jobs ever.
    var enqueuedCount = 0
    var idleWaiters: [IdleWaiter] = []
  }

  /// Waits until nothing is queued or running, or so many jobs had been enqueued that it never will be.
  private struct IdleWaiter {
    let limit: Int
    let continuation: CheckedContinuation<Int, Never>
  }

  /// Effects that take more jobs than this to come to rest never do.
  static let jobLimit = 100_000

  private let queue = DispatchQueue(label: "lifesignal.effects")
  private let state = Lock(State())

  package init() {}

  /// Whether nothing is queued or running here.
  package var isIdle: Bool { state.withLock { $0.pendingCount == 0 } }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { state in
      state.pendingCount += 1
      state.enqueuedCount += 1
    }
    queue.async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
      jobEnded()
    }
  }

  private func jobEnded() {
    let (waiters, count) = state.withLock { state in
      state.pendingCount -= 1
      let isIdle = state.pendingCount == 0
      let count = state.enqueuedCount
      let ended = state.idleWaiters.filter { isIdle || count > $0.limit }
      if !ended.isEmpty { state.idleWaiters.removeAll { isIdle || count > $0.limit } }
      return (ended, count)
    }
    for waiter in waiters { waiter.continuation.resume(returning: count) }
  }

  /// Returns when nothing on this scheduler can go on by itself, nor with what is queued on the main actor. Reports an issue,
  /// and returns, where that does not come about.
  ///
  /// Called by an effect on this scheduler it returns at once: it would wait for itself.
  package func settle() async {
    guard EffectScheduler.current !== self else { return }
    let limit = state.withLock { $0.enqueuedCount } + Self.jobLimit
    while true {
      let enqueuedCount = await idle(limit: limit)
      guard enqueuedCount <= limit else { return reportRestlessEffects() }
      await passThroughMainActor()
      if isIdle(since: enqueuedCount) { return }
    }
  }

  private func reportRestlessEffects() {
    IssueReporting.report(
      "the effects have not come to rest after \(Self.jobLimit) steps: one of them goes round without ever waiting, as a "
        + "timer on an ImmediateClock does")
  }

  /// Waits until nothing is queued or running, and gives how many jobs there had been by then.
  private func idle(limit: Int) async -> Int {
    await withCheckedContinuation { continuation in
      let count = state.withLock { state -> Int? in
        if state.pendingCount == 0 || state.enqueuedCount > limit { return state.enqueuedCount }
        state.idleWaiters.append(IdleWaiter(limit: limit, continuation: continuation))
        return nil
      }
      if let count { continuation.resume(returning: count) }
    }
  }

  private func isIdle(since enqueuedCount: Int) -> Bool {
    state.withLock { $0.pendingCount == 0 && $0.enqueuedCount == enqueuedCount }
  }
}

/// Waits until the main actor has run all that is queued on it, and what that queued in turn, some times over.
///
/// Its jobs run in the order of their coming, so that whoever comes back after giving way comes after them.
@MainActor
func passThroughMainActor() async {
  for _ in 0..<4 { await Task.yield() }
}
