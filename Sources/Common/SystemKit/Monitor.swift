import Glibc

/// A value under a mutex with a condition variable: one thread at a time reaches it, and others can wait for its change.
///
/// ```swift
/// let count = Monitor(0)
/// count.wait { $0 == 0 ? () : nil }          // on one thread
/// count.withLock { $0 -= 1 }                 // on another
/// count.wakeAll()
/// ```
package final class Monitor<Value: Sendable & ~Copyable>: @unchecked Sendable {
  // `mutex` guards `value`. The pointers never change.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  package init(_ value: consuming Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Waits for the lock, and runs `body` with it held. It is not recursive, and wakes nobody.
  package func withLock<Result: ~Copyable>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }

  /// Calls `body` with the lock held, at once and after each wake-up, until it returns a result. After the deadline `body` is called
  /// a last time; nil if it still has none.
  package func wait<Result: ~Copyable>(
    until deadline: Deadline? = nil, _ body: (inout Value) -> Result?
  ) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&value) { return result }
      guard let deadline else {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var end = deadline.timespec
      if pthread_cond_timedwait(condition, mutex, &end) != 0 { return body(&value) }
    }
  }

  /// Wakes one thread that waits. With the lock or without it.
  package func wakeOne() { pthread_cond_signal(condition) }

  /// Wakes all threads that wait. With the lock or without it.
  package func wakeAll() { pthread_cond_broadcast(condition) }
}
