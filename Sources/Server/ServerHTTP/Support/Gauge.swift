import Glibc

/// How many are inside, for one who waits until nobody is.
final class Gauge: @unchecked Sendable {
  // `mutex` guards `value` and `isClosed`.
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value = 0
  private var isClosed = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Counts one more; false, and counts nothing, once it is closed.
  func enter() -> Bool {
    locked {
      guard !isClosed else { return false }
      value += 1
      return true
    }
  }

  /// Counts one less.
  func leave() {
    locked {
      value -= 1
      if value == 0 { pthread_cond_broadcast(condition) }
    }
  }

  /// Lets nobody enter from now on.
  func close() {
    locked { isClosed = true }
  }

  func waitForZero() {
    locked {
      while value > 0 { pthread_cond_wait(condition, mutex) }
    }
  }

  /// Waits no longer than `milliseconds`.
  func waitForZero(milliseconds: Int) {
    var end = timespec()
    clock_gettime(CLOCK_REALTIME, &end)
    let nanoseconds = end.tv_nsec + milliseconds % 1000 * 1_000_000
    end.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
    end.tv_nsec = nanoseconds % 1_000_000_000
    locked {
      while value > 0, pthread_cond_timedwait(condition, mutex, &end) == 0 {}
    }
  }

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
