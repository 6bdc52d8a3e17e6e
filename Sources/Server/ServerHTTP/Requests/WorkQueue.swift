import SystemKit

/// A `TurnQueue` between threads: some add, others wait for what comes.
final class WorkQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  private struct State {
    var queue = TurnQueue<Key, Element>()
    var isClosed = false
  }

  private let state = Monitor(State())
  private let limit: Int
  private let urgentLimit: Int

  /// At most `limit` elements wait, and beyond them urgent ones up to `urgentLimit`.
  init(limit: Int, urgentLimit: Int) {
    self.limit = limit
    self.urgentLimit = urgentLimit
  }

  /// False where the queue is full or closed.
  func push(_ element: Element, key: Key, isUrgent: Bool) -> Bool {
    state.withLock { state in
      guard !state.isClosed, state.queue.count < (isUrgent ? urgentLimit : limit) else { return false }
      state.queue.push(element, key: key, isUrgent: isUrgent)
      self.state.wakeOne()
      return true
    }
  }

  /// Adds what was taken before and goes on, also where the queue is full or closed.
  func pushBack(_ element: Element, key: Key, isUrgent: Bool) {
    state.withLock { state in
      state.queue.push(element, key: key, isUrgent: isUrgent)
      self.state.wakeOne()
    }
  }

  /// Waits for the next element; nil once the queue is closed and empty.
  func waitForNext() -> Element? {
    let next: Element?? = state.wait { state in
      if let element = state.queue.pop() { return .some(element) }
      return state.isClosed ? .some(nil) : nil
    }
    return next ?? nil
  }

  /// The next element where one waits and `condition` holds for it.
  func next(where condition: (Element) -> Bool) -> Element? {
    state.withLock { $0.queue.peek.map(condition) == true ? $0.queue.pop() : nil }
  }

  /// Takes nothing new. What waits is still given out.
  func close() {
    state.withLock { state in
      state.isClosed = true
      self.state.wakeAll()
    }
  }
}
