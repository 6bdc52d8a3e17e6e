import CLinux
import Glibc

/// Locks on the open file: flock(2), and beside it a mark that others can look at.
///
/// Both belong to the open file and not to the process: descriptors that were opened apart keep each other out, and a child that was
/// forked meanwhile shares them. Closing gives them back only when the last process closes; `unlock` and `unmark` give them back for
/// all, so that what a process took a child may not give back.
extension FileDescriptor {
  /// Blocks until the exclusive lock is held. It has no timeout.
  package func lock() throws(SystemError) {
    while flock(number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw SystemError(errno, "lock the file") }
    }
  }

  /// Takes the exclusive lock where it is free; false where another open file has it.
  package func tryLock() throws(SystemError) -> Bool {
    while flock(number, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw SystemError(errno, "lock the file") }
    }
    return true
  }

  /// Gives the lock back. Does nothing in a process that is not `processID`, which took it.
  package func unlock(takenBy processID: Int32) {
    if getpid() == processID { flock(number, LOCK_UN) }
  }

  /// Marks the file, for those who look with `isMarkedByAnother`: an open file description lock (fcntl(2)). Best effort.
  package func mark() {
    _ = lifesignal_mark(number)
  }

  /// Takes the mark away. Does nothing in a process that is not `processID`, which set it.
  package func unmark(setBy processID: Int32) {
    if getpid() == processID { _ = lifesignal_unmark(number) }
  }

  /// Whether another open file has the mark. Takes nothing.
  package func isMarkedByAnother() throws(SystemError) -> Bool {
    let answer = lifesignal_is_marked(number)
    guard answer >= 0 else { throw SystemError(errno, "look at the file's mark") }
    return answer == 1
  }

  /// Puts `bytes` in the place of the file's contents, in one write and without a new name; false and `errno` where that failed.
  /// Others may see half of it.
  package func overwrite(with bytes: [UInt8]) -> Bool {
    pwrite(number, bytes, bytes.count, 0) == bytes.count && ftruncate(number, off_t(bytes.count)) == 0
  }
}
