import SystemKit

/// Tells everybody who listens how long the work before a code takes.
final class CodeWorkRelay: Sendable {
  private struct State {
    var listeners: [Int: AsyncStream<Int>.Continuation] = [:]
    var nextID = 0
  }

  private let state = Lock(State())

  func tell(_ seconds: Int) {
    for listener in state.withLock({ $0.listeners.values.map { $0 } }) { listener.yield(seconds) }
  }

  /// Ends when the task that reads it is cancelled.
  func stream() -> AsyncStream<Int> {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let id = state.withLock { state in
      state.nextID += 1
      state.listeners[state.nextID] = continuation
      return state.nextID
    }
    continuation.onTermination = { [weak self] _ in self?.state.withLock { $0.listeners[id] = nil } }
    return stream
  }
}
