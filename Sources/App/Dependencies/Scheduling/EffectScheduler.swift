import Dispatch
import SystemKit

/// Runs effects one at a time on its own queue, and knows when all of them are idle.
///
/// A task that is made with `Task(executorPreference: scheduler)`, and its child tasks, run here all code that is
/// isolated to no actor or to a default actor. When no job is queued or running, every task is suspended: it waits for
/// a clock, for the main actor, or for something outside. ``settle()`` also waits for the main actor's queue, to rule
/// that one out.
package final class EffectScheduler: TaskExecutor {
  /// The scheduler that runs this task. The runner of the effects binds it.
  @TaskLocal package static var current: EffectScheduler?

  private struct State {
    /// The number of jobs that are queued or running.
    var pendingCount = 0
    /// The number of jobs so far.
    var enqueuedCount = 0
    var idleWaiters: [IdleWaiter] = []
  }

  /// A wait until no job is queued or running, or until more than `limit` jobs were enqueued: then it would never end.
  private struct IdleWaiter {
    let limit: Int
    let continuation: CheckedContinuation<Int, Never>
  }

  /// Effects that are not idle after this many jobs count as endless.
  static let jobLimit = 100_000

  private let queue = DispatchQueue(label: "lifesignal.effects")
  private let state = Lock(State())

  package init() {}

  /// Whether no job is queued or running here.
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

  /// Returns when no task on this scheduler can continue by itself or after the jobs that are queued on the main actor.
  /// If that does not happen within `jobLimit` jobs, it reports an issue and returns.
  ///
  /// A call from an effect on this scheduler returns at once, since it would wait for itself.
  package func settle() async {
    guard EffectScheduler.current !== self else { return }
    let limit = state.withLock { $0.enqueuedCount } + Self.jobLimit
    while true {
      let enqueuedCount = await idle(limit: limit)
      guard enqueuedCount <= limit else { return reportEndlessEffects() }
      await passThroughMainActor()
      if isIdle(since: enqueuedCount) { return }
    }
  }

  private func reportEndlessEffects() {
    IssueReporting.report(
      "the effects are not idle after \(Self.jobLimit) steps: one of them loops without ever waiting, as a timer on an "
        + "ImmediateClock does")
  }

  /// Waits until no job is queued or running, and returns the number of jobs so far.
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

/// Waits until the main actor has run the jobs that are queued on it, then the jobs that those enqueue, and so on for a
/// few rounds.
///
/// The main actor runs its jobs in order of arrival, so a task that yields continues after them.
@MainActor
func passThroughMainActor() async {
  for _ in 0..<4 { await Task.yield() }
}
