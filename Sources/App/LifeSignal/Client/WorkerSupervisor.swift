import SystemKit

/// Restarts the background worker when it fails, after pauses that double from one second to thirty.
struct WorkerSupervisor: Sendable {
  static let firstPause = Duration.seconds(1)
  static let longestPause = Duration.seconds(30)

  let clock: any Clock<Duration>
  /// One run of the worker, which calls its argument once it works. It returns when the task is cancelled.
  let work: @Sendable (_ began: @escaping @Sendable () -> Void) async throws(LifeSignalError) -> Void
  /// Told each failure, and nil when the worker works again after one.
  let onProblem: @Sendable (LifeSignalError?) -> Void

  /// Until the task is cancelled.
  func run() async {
    let state = ProblemState()
    var pause = Self.firstPause
    while !Task.isCancelled {
      let (problem, duration) = await runOnce(state)
      guard !Task.isCancelled else { return }
      if let problem {
        state.begin()
        onProblem(problem)
      }
      // After a long run it is a new failure.
      if duration >= Self.longestPause { pause = Self.firstPause }
      do {
        try await clock.sleep(for: pause)
      } catch {
        // A clock throws for one reason: the task was cancelled.
        return
      }
      pause = min(pause * 2, Self.longestPause)
    }
  }

  private func runOnce(_ state: ProblemState) async -> (problem: LifeSignalError?, duration: Duration) {
    var problem: LifeSignalError?
    let duration = await clock.measure {
      do throws(LifeSignalError) {
        try await work { if state.end() { onProblem(nil) } }
      } catch {
        problem = error
      }
    }
    return (problem, duration)
  }
}

/// Whether the last that was told is a problem.
private final class ProblemState: Sendable {
  private let isProblem = Lock(false)

  func begin() { isProblem.withLock { $0 = true } }

  /// Whether there was one.
  func end() -> Bool {
    isProblem.withLock { isProblem in
      defer { isProblem = false }
      return isProblem
    }
  }
}
