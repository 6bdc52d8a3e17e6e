import Foundation
import SystemKit
package import Testing

/// Runs each test on threads that only such tests share: `@Suite(.blocking)`, `@Suite(.computing)`.
///
/// Swift Testing starts all tests at once on the cooperative pool, which has one thread per processor. There, two tests that wait for a
/// program would stall all others, with both processors idle, and a test that waits would only begin when those are done that compute.
package struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  private let pool: Pool

  /// Each test of the suite, and of the suites in it, has the trait.
  package var isRecursive: Bool { true }

  /// Once for each test function, outside the time limit of its cases: a test that waits for its turn has not begun.
  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
    test.isSuite || testCase != nil ? nil : self
  }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(pool.threads) {
      // Here, so that a test whose turn has come is not the last in the queue of the cooperative pool.
      await pool.turns.take()
      defer { pool.turns.giveBack() }
      try await function()
    }
  }

  /// With more tests that wait at the same time, each would be slower than its timeouts expect on a machine with two processors.
  fileprivate static let blocking = OwnThreads(pool: Pool(threads: 4, niceness: 0))
  /// Their threads give way to those of all other tests, which measure time and have timeouts.
  fileprivate static let computing = OwnThreads(
    pool: Pool(threads: ProcessInfo.processInfo.activeProcessorCount, niceness: 5))
}

extension Trait where Self == OwnThreads {
  /// For tests that wait for a program, a socket or a thread without `await`.
  package static var blocking: Self { OwnThreads.blocking }
  /// For tests that compute for seconds without `await`, such as runs of the simulator.
  package static var computing: Self { OwnThreads.computing }
}

/// Threads, and the turns of the tests that may use them.
private struct Pool: Sendable {
  let turns: Turns
  let threads: TestThreads

  init(threads count: Int, niceness: Int32) {
    turns = Turns(count)
    threads = TestThreads(count, niceness: niceness)
  }
}

/// A number of turns, given to those who wait for one in the order in which they came.
private final class Turns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Lock<State>

  init(_ count: Int) { state = Lock(State(free: count)) }

  func take() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free == 0 else {
          state.free -= 1
          return true
        }
        state.waiting.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  func giveBack() {
    let next = state.withLock { state in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() as CheckedContinuation<Void, Never>? }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}

/// Threads that run jobs in the order in which they come, and may be blocked by them. They are never ended.
private final class TestThreads: TaskExecutor {
  private let jobs = Monitor<[UnownedJob]>([])

  init(_ count: Int, niceness: Int32) {
    for _ in 0..<count {
      do {
        try SystemThread.detach { [self] in
          if niceness > 0 { SystemThread.lowerPriority(by: niceness) }
          while true { runNext() }
        }
      } catch {
        fatalError("tests need threads: \(error)")
      }
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
    jobs.wakeOne()
  }

  private func runNext() {
    let job = jobs.wait { $0.isEmpty ? nil : $0.removeFirst() }
    job?.runSynchronously(on: asUnownedTaskExecutor())
  }
}
