import CLinux
import Glibc
import Synchronization

/// An exclusive `flock` on a file, taken and given back many times.
///
/// The lock belongs to the open file, so it also keeps out other values of this type in the same process. One value is used
/// by one thread at a time: its owner holds a `Mutex`.
struct FileLock: ~Copyable {
  private let path: String
  private var descriptor: Int32

  /// Opens the file, and makes it with mode 0600 where it is missing.
  init(_ path: String) throws(LocalStoreError) {
    self.path = path
    descriptor = try Self.open(path)
  }

  deinit {
    close(descriptor)
  }

  private static func open(_ path: String) throws(LocalStoreError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw LocalStoreError(errorNumber: errno, "open \(path)") }
    // Whatever the umask. It fails only for a file of somebody else, which is as it is.
    fchmod(descriptor, 0o600)
    return descriptor
  }

  /// True where it is ours now, false where somebody else holds it.
  func tryAcquire() throws(LocalStoreError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw LocalStoreError(errorNumber: errno, "lock \(path)") }
    }
    return true
  }

  /// Waits for it, at most for so long. Throws `busy`.
  mutating func acquire(timeoutMilliseconds: Int) throws(LocalStoreError) {
    if try tryAcquire() { return }
    let waiter = try LockWaiter(descriptor: Self.open(path))
    guard let locked = try waiter.wait(timeoutMilliseconds: timeoutMilliseconds) else {
      throw LocalStoreError(.busy, "another program keeps the store locked")
    }
    close(descriptor)
    descriptor = locked
  }

  func release() {
    flock(descriptor, LOCK_UN)
  }
}

/// `flock` with an end to its patience: a thread of its own waits for the lock, and its caller for the thread.
///
/// The kernel queues the waiting, so nobody polls; when the caller has given up, the thread lets the lock go as soon as it
/// has it.
private final class LockWaiter: Sendable {
  private enum State { case waiting, acquired, failed, abandoned }

  private let descriptor: Int32
  private let state = Mutex(State.waiting)
  private let doneReader: Int32
  private let doneWriter: Int32

  /// Takes over the descriptor.
  init(descriptor: Int32) throws(LocalStoreError) {
    self.descriptor = descriptor
    var ends: [Int32] = [-1, -1]
    guard lifesignal_pipe(&ends) == 0 else {
      close(descriptor)
      throw LocalStoreError(errorNumber: errno, "wait for the lock")
    }
    (doneReader, doneWriter) = (ends[0], ends[1])
  }

  deinit {
    close(doneReader)
    close(doneWriter)
  }

  /// The descriptor that holds the lock, or nil where the time is over. Called once.
  func wait(timeoutMilliseconds: Int) throws(LocalStoreError) -> Int32? {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self).toOpaque()
    guard pthread_create(&thread, nil, waitForLock, context) == 0 else {
      Unmanaged<LockWaiter>.fromOpaque(context).release()
      close(descriptor)
      throw LocalStoreError(.busy, "no thread to wait for the store's lock")
    }
    pthread_detach(thread)
    var poll = pollfd(fd: doneReader, events: Int16(POLLIN), revents: 0)
    // After a signal it waits anew, and so at most longer.
    while Glibc.poll(&poll, 1, Int32(clamping: timeoutMilliseconds)) < 0 && errno == EINTR {}
    let outcome = state.withLock { state in
      if state == .waiting { state = .abandoned }
      return state
    }
    return outcome == .acquired ? descriptor : nil
  }

  fileprivate func run() {
    var result = flock(descriptor, LOCK_EX)
    while result != 0 && errno == EINTR { result = flock(descriptor, LOCK_EX) }
    let isWanted = state.withLock { state in
      guard state == .waiting else { return false }
      state = result == 0 ? .acquired : .failed
      return result == 0
    }
    if !isWanted { close(descriptor) }
    var byte: UInt8 = 1
    write(doneWriter, &byte, 1)
  }
}

/// The waiting thread's only function.
private func waitForLock(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  if let context { Unmanaged<LockWaiter>.fromOpaque(context).takeRetainedValue().run() }
  return nil
}
