import Glibc

/// A `TurnQueue` between threads: some add, others wait for what comes.
final class WorkQueue<Key: Hashable & Sendable, Element: Sendable>: @unchecked Sendable {
  // `mutex` guards all that changes.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var queue = TurnQueue<Key, Element>()
  private var isClosed = false
  private let limit: Int
  private let urgentLimit: Int

  /// At most `limit` elements wait, and beyond them urgent ones up to `urgentLimit`.
  init(limit: Int, urgentLimit: Int) {
    self.limit = limit
    self.urgentLimit = urgentLimit
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// False where the queue is full or closed.
  func push(_ element: Element, key: Key, isUrgent: Bool) -> Bool {
    locked {
      guard !isClosed, queue.count < (isUrgent ? urgentLimit : limit) else { return false }
      queue.push(element, key: key, isUrgent: isUrgent)
      pthread_cond_signal(condition)
      return true
    }
  }

  /// Adds what was taken before and goes on, also where the queue is full or closed.
  func pushBack(_ element: Element, key: Key, isUrgent: Bool) {
    locked {
      queue.push(element, key: key, isUrgent: isUrgent)
      pthread_cond_signal(condition)
    }
  }

  /// Waits for the next element; nil once the queue is closed and empty.
  func waitForNext() -> Element? {
    locked {
      while true {
        if let element = queue.pop() { return element }
        if isClosed { return nil }
        pthread_cond_wait(condition, mutex)
      }
    }
  }

  /// The next element where one waits and `condition` holds for it.
  func next(where condition: (Element) -> Bool) -> Element? {
    locked { queue.peek.map(condition) == true ? queue.pop() : nil }
  }

  /// Takes nothing new. What waits is still given out.
  func close() {
    locked {
      isClosed = true
      pthread_cond_broadcast(condition)
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
