import CLinux
import Glibc
import Synchronization
import SystemKit

/// The right to speak to the server: the lock on `sender.lock`, held while the value lives.
///
/// Beside the lock its holder sets a mark, a lock of the other kind that Linux has (fcntl(2), "Open file description locks"),
/// which others can look at without taking anything: so nobody is turned away by one who only looked, or who waited for the lock
/// and did not want it any more.
///
/// A holder can stand still: stopped, frozen, swapped out. So it writes into the file that it moves (`stamp`), and whoever has
/// something urgent sends it without the lease after a while (`SyncMode.withoutLease`).
package final class SenderLease: Sendable {
  /// Nil once it was let go.
  private let file: Mutex<FileDescriptor?>

  private init(_ file: consuming FileDescriptor) {
    self.file = Mutex(file)
  }

  deinit {
    release()
  }

  /// How often a lock that nobody has marked is tried again: its holder is about to mark it, or to let it go.
  private static let attemptLimit = 1000

  /// nil where another process, or another value in this one, holds it.
  package static func acquire(_ home: HomeDirectory) throws(LocalStoreError) -> SenderLease? {
    let lease = SenderLease(try open(home))
    for _ in 0..<attemptLimit {
      if try lease.lock(LOCK_EX | LOCK_NB) {
        lease.mark()
        return lease
      }
      if try lease.isMarkedByAnother() { return nil }
      sched_yield()
    }
    return nil
  }

  /// Blocks until it is free, and takes it. It is not marked: nobody counts on its holder yet.
  package static func waitAndAcquire(_ home: HomeDirectory) throws(LocalStoreError) -> SenderLease {
    let lease = SenderLease(try open(home))
    _ = try lease.lock(LOCK_EX)
    return lease
  }

  /// Whether somebody who speaks to the server holds it. It takes nothing.
  package static func isHeld(_ home: HomeDirectory) throws(LocalStoreError) -> Bool {
    let path = home.senderLockPath
    guard let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW) else {
      if errno == ENOENT { return false }
      throw LocalStoreError(errorNumber: errno, "open \(path)")
    }
    return try isMarked(file.number)
  }

  /// Says to those who look that its holder speaks to the server, and takes away what the last one wrote of itself. Best effort:
  /// without it they take the lease for free, and nothing else.
  package func mark() {
    withNumber { descriptor in
      _ = ftruncate(descriptor, 0)
      _ = lifesignal_mark(descriptor)
    }
  }

  /// Notes in the file that the thread which sends has just done so: to be called by that thread, each time before it waits.
  /// Best effort: where it fails nobody can tell whether the holder moves.
  package func stamp(atMonotonicMilliseconds now: Int64) {
    let bytes = SenderStamp(processID: getpid(), monotonicMilliseconds: now).bytes
    withNumber { (descriptor) -> Void in
      guard descriptor >= 0, pwrite(descriptor, bytes, bytes.count, 0) == bytes.count else { return }
      ftruncate(descriptor, off_t(bytes.count))
    }
  }

  private static func open(_ home: HomeDirectory) throws(LocalStoreError) -> FileDescriptor {
    let path = home.senderLockPath
    guard let file = FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600) else {
      throw LocalStoreError(errorNumber: errno, "open \(path)")
    }
    fchmod(file.number, 0o600)
    return file
  }

  private func isMarkedByAnother() throws(LocalStoreError) -> Bool {
    try Self.isMarked(withNumber { $0 })
  }

  private static func isMarked(_ descriptor: Int32) throws(LocalStoreError) -> Bool {
    let answer = lifesignal_is_marked(descriptor)
    guard answer >= 0 else { throw LocalStoreError(errorNumber: errno, "look at the sender's lock") }
    return answer == 1
  }

  /// False where it is held. Called before anybody else has the value.
  private func lock(_ operation: Int32) throws(LocalStoreError) -> Bool {
    // Not under the mutex: this may wait for long.
    let descriptor = withNumber { $0 }
    while flock(descriptor, operation) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw LocalStoreError(errorNumber: errno, "take the sender's lock") }
    }
    return true
  }

  /// Lets it go before the value does; a second call does nothing.
  ///
  /// The locks are removed, and not only the file closed: a child that was forked meanwhile has the same open file, and would
  /// keep the lease until it closes that. The mark goes first, so that the next holder can set its own.
  package func release() {
    withNumber { descriptor in
      guard descriptor >= 0 else { return }
      _ = lifesignal_unmark(descriptor)
      flock(descriptor, LOCK_UN)
    }
    file.withLock { $0 = nil }
  }

  /// Calls `body` with the descriptor, and with -1 once it was let go: a system call refuses that.
  private func withNumber<Result: Sendable>(_ body: (Int32) -> Result) -> Result {
    file.withLock { file in
      switch file {
      case .some(let file): body(file.number)
      case .none: body(-1)
      }
    }
  }
}

extension HomeDirectory {
  /// Tells whoever speaks to the server that there is work: sets the times of `wake`, so a watcher sees `IN_ATTRIB`; the
  /// first time it makes the file. Best effort: the worker also looks when it starts.
  package func poke() {
    guard utimensat(AT_FDCWD, wakePath, nil, AT_SYMLINK_NOFOLLOW) != 0 else { return }
    _ = FileDescriptor(opening: wakePath, O_WRONLY | O_CREAT | O_NOFOLLOW, permissions: 0o600)
  }
}
