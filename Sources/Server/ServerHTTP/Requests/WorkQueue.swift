import SystemKit

/// A `TurnQueue` shared by threads: some add elements, others wait for them.
final class WorkQueue<Key: Hashable & Sendable, Element: Sendable>: Sendable {
  private struct State {
    var queue = TurnQueue<Key, Element>()
    /// How many were taken out, ever.
    var takenCount = 0
    var isClosed = false
  }

  private let state = Monitor(State())
  private let limit: Int
  private let urgentLimit: Int

  /// At most `limit` elements wait; urgent ones may wait up to `urgentLimit`.
  init(limit: Int, urgentLimit: Int) {
    self.limit = limit
    self.urgentLimit = urgentLimit
  }

  /// The elements that wait.
  var count: Int { state.withLock { $0.queue.count } }

  var progress: WorkProgress { state.withLock { WorkProgress(waiting: $0.queue.count, takenCount: $0.takenCount) } }

  /// False if the queue is closed, or if it is full and the element `isLimited`.
  func push(_ element: Element, key: Key, isUrgent: Bool, isLimited: Bool = true) -> Bool {
    state.withLock { state in
      guard !state.isClosed, !isLimited || state.queue.count < (isUrgent ? urgentLimit : limit) else { return false }
      state.queue.push(element, key: key, isUrgent: isUrgent)
      self.state.wakeOne()
      return true
    }
  }

  /// Returns an element that was taken, even if the queue is full or closed.
  func pushBack(_ element: Element, key: Key, isUrgent: Bool) {
    state.withLock { state in
      state.queue.push(element, key: key, isUrgent: isUrgent)
      self.state.wakeOne()
    }
  }

  /// Waits for the next element; nil once the queue is closed and empty.
  func waitForNext() -> Element? {
    let next: Element?? = state.wait { state in
      if let element = state.queue.pop() {
        state.takenCount += 1
        return .some(element)
      }
      return state.isClosed ? .some(nil) : nil
    }
    return next ?? nil
  }

  /// The next element, urgent ones first, to be worked on together with the one before; nil if `condition` does not hold for it.
  func nextToShare(where condition: (Element) -> Bool) -> Element? {
    state.withLock { state in
      let element = state.queue.popToShare(where: condition)
      if element != nil { state.takenCount += 1 }
      return element
    }
  }

  /// Refuses new elements. Waiting ones are still given out.
  func close() {
    state.withLock { state in
      state.isClosed = true
      self.state.wakeAll()
    }
  }
}
