import CLinux
import Glibc

/// A lock that can be waited for with a timeout. It guards no value of its own, and is not recursive.
package final class TimedLock: @unchecked Sendable {
  // The pointer never changes, and what it points to is the lock itself.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  package init() {
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  package func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Throws `timeout` if another thread keeps the lock past the deadline.
  package func withLock<Result, Failure: Error>(
    until deadline: Deadline, orThrow timeout: @autoclosure () -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if pthread_mutex_trylock(mutex) != 0 {
      guard lifesignal_mutex_lock_until(mutex, deadline.milliseconds) == 0 else { throw timeout() }
    }
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}
