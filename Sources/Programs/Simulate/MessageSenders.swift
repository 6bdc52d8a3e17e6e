import ServerCore
import SystemKit

/// Threads that send one message at a time, which takes no time. What they give back gathers while a transaction is under way, as it does
/// in the server.
final class MessageSenders: Sendable {
  private struct State {
    var attempts: ArraySlice<DeliveryAttempt> = []
    var answers: [DeliveryCompletion] = []
    var isStopped = false
  }

  private let state = Monitor(State())
  private let threads: [SystemThread]

  /// Throws if the system has no thread left.
  init(_ count: Int) throws(SystemError) {
    let state = state
    var threads: [SystemThread] = []
    for _ in 0..<count { threads.append(try SystemThread { Self.send(state) }) }
    self.threads = threads
  }

  func start(_ attempts: [DeliveryAttempt]) {
    state.withLock { $0.attempts += attempts }
    state.wakeAll()
  }

  /// Waits for the first answer, and takes all that there are.
  func takeAnswers() -> [DeliveryCompletion] {
    state.wait { state in
      guard !state.answers.isEmpty else { return nil }
      defer { state.answers = [] }
      return state.answers
    } ?? []
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    state.wakeAll()
    for thread in threads { thread.join() }
  }

  private static func send(_ state: Monitor<State>) {
    while let attempt = next(state) {
      state.withLock { $0.answers.append(DeliveryCompletion(taking: attempt)) }
      state.wakeAll()
    }
  }

  /// Waits for a message; nil once they are stopped.
  private static func next(_ state: Monitor<State>) -> DeliveryAttempt? {
    let next: DeliveryAttempt?? = state.wait { state in
      if let attempt = state.attempts.popFirst() { return .some(attempt) }
      return state.isStopped ? .some(nil) : nil
    }
    return next ?? nil
  }
}

extension DeliveryCompletion {
  /// Of an attempt that was taken at once.
  init(taking attempt: DeliveryAttempt) {
    self.init(of: attempt, .status(200, retryAfter: nil), afterMilliseconds: 1)
  }
}
