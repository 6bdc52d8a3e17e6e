#if LIFESIGNAL_PTHREAD_LOCKS
  import Glibc

  /// A value that one thread at a time can reach: the surface of `Synchronization.Mutex` over a `pthread_mutex_t`.
  ///
  /// The thread sanitizer sees no other lock on Linux, and would report what a `Mutex` guards as a race.
  package struct Lock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // `mutex` guards what `value` points to. The pointers never change.
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ initialValue: consuming sending Value) {
      pthread_mutex_init(mutex, nil)
      value.initialize(to: initialValue)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      pthread_mutex_destroy(mutex)
      mutex.deallocate()
    }

    /// Waits for the lock, and runs `body` with it held. It is not recursive.
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }

    /// Runs `body` where the lock is free at once; nil where it is not.
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
      guard pthread_mutex_trylock(mutex) == 0 else { return nil }
      defer { pthread_mutex_unlock(mutex) }
      return try body(&value.pointee)
    }
  }
#else
  package import Synchronization

  /// A value that one thread at a time can reach: `withLock`, and `withLockIfAvailable`. It is not recursive.
  ///
  /// A build with `LIFESIGNAL_PTHREAD_LOCKS` in its environment has the same over a `pthread_mutex_t`, since the thread sanitizer does
  /// not see a `Mutex` on Linux.
  package typealias Lock<Value: ~Copyable> = Mutex<Value>
#endif
