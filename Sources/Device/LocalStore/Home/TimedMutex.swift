import CLinux
import Glibc

/// A mutex whose lock can be waited for with a timeout.
final class TimedMutex: @unchecked Sendable {
  // The pointer never changes, and what it points to is the mutex itself.
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result, Failure: Error>(_ body: () throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }

  /// Throws `busy` where another thread keeps it past the deadline.
  func withLock<Result>(
    until deadline: Deadline, _ body: () throws(LocalStoreError) -> Result
  ) throws(LocalStoreError) -> Result {
    if pthread_mutex_trylock(mutex) != 0 {
      guard lifesignal_mutex_lock_until(mutex, deadline.milliseconds) == 0 else {
        throw LocalStoreError(.busy, "another part of this program keeps the store busy")
      }
    }
    defer { pthread_mutex_unlock(mutex) }
    return try body()
  }
}
