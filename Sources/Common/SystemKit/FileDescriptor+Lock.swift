import CLinux
import Glibc

/// Locks on the open file: flock(2), and a separate mark that other processes can look at.
///
/// Both belong to the open file, not to the process. Descriptors that were opened separately exclude each other, and a
/// forked child shares its parent's. Closing releases them only in the last process that has the file open; `unlock`
/// and `unmark` release them for all, so they do nothing in a process that did not take them.
extension FileDescriptor {
  /// Blocks until the exclusive lock is held. It has no timeout.
  package func lock() throws(SystemError) {
    while flock(number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw SystemError(errno, "lock the file") }
    }
  }

  /// Takes the exclusive lock if it is free; false if another open file has it.
  package func tryLock() throws(SystemError) -> Bool {
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw SystemError(errno, "lock the file") }
    }
    return true
  }

  /// Releases the lock. Does nothing in any process but `processID`, which took it.
  package func unlock(takenBy processID: Int32) {
    if getpid() == processID { flock(number, LOCK_UN) }
  }

  /// Marks the file for `isMarkedByAnother`, by an open file description lock (fcntl(2)). Best effort.
  package func mark() {
    _ = lifesignal_mark(number)
  }

  /// The same, where several may mark it at once.
  package func markShared() {
    _ = lifesignal_mark_shared(number)
  }

  /// Removes the mark. Does nothing in any process but `processID`, which set it.
  package func unmark(setBy processID: Int32) {
    if getpid() == processID { _ = lifesignal_unmark(number) }
  }

  /// Whether another open file has the mark. Takes nothing.
  package func isMarkedByAnother() throws(SystemError) -> Bool {
    let answer = lifesignal_is_marked(number)
    guard answer >= 0 else { throw SystemError(errno, "read the file's mark") }
    return answer == 1
  }

  /// Replaces the file's contents in place, with one write; false and `errno` if that failed. Readers may see part of
  /// it.
  package func overwrite(with bytes: [UInt8]) -> Bool {
    guard pwrite(number, bytes, bytes.count, 0) == bytes.count else { return false }
    var status = stat()
    // As long as before: to cut it would tell whoever watches the file of a second change.
    if fstat(number, &status) == 0, status.st_size == off_t(bytes.count) { return true }
    return ftruncate(number, off_t(bytes.count)) == 0
  }
}
