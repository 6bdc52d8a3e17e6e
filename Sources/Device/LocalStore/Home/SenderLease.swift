import Glibc
import SystemKit

/// The right to talk to the server: an `flock` on `sender.lock`, held for the lifetime of this value.
///
/// The holder also sets a mark: a lock of Linux's other kind (fcntl(2), "Open file description locks"). Others can test
/// the mark without acquiring anything. A process that only tests the lease, or that acquires it from a wait it has
/// given up, therefore does not turn away a third one.
///
/// A holder can hang: it may be stopped, frozen or swapped out. So it writes timestamps into the file (`stamp`), and a
/// process with an alert to send does so without the lease after a delay (`SyncMode.withoutLease`).
package final class SenderLease: Sendable {
  /// Nil after the release.
  private let file: Lock<FileDescriptor?>
  /// The process that acquired the lease. A forked child shares the open file, and must not release the locks.
  private let processID = getpid()

  /// Takes a file that is already locked.
  private init(_ file: consuming FileDescriptor) {
    self.file = Lock(file)
  }

  deinit {
    release()
  }

  /// The number of attempts for a lock without a mark: its holder is about to mark or release it.
  private static let attemptLimit = 1000

  /// Acquires the lease. Returns nil if another process, or another value in this process, holds it.
  package static func acquire(_ home: HomeDirectory) throws(LocalStoreError) -> SenderLease? {
    let file = try open(home)
    for _ in 0..<attemptLimit {
      if try LocalStoreError.mapping({ () throws(SystemError) in try file.tryLock() }) {
        let lease = SenderLease(file)
        lease.mark()
        return lease
      }
      if try LocalStoreError.mapping({ () throws(SystemError) in try file.isMarkedByAnother() }) { return nil }
      sched_yield()
    }
    return nil
  }

  /// Blocks until the lease is free, and acquires it. It does not mark it: the caller does not send yet.
  package static func waitAndAcquire(_ home: HomeDirectory) throws(LocalStoreError) -> SenderLease {
    let file = try open(home)
    try LocalStoreError.mapping { () throws(SystemError) in try file.lock() }
    return SenderLease(file)
  }

  /// Whether a process that talks to the server holds the lease. It acquires nothing.
  package static func isHeld(_ home: HomeDirectory) throws(LocalStoreError) -> Bool {
    let path = home.senderLockPath
    guard let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW) else {
      if errno == ENOENT { return false }
      throw LocalStoreError(errorNumber: errno, "open \(path)")
    }
    return try LocalStoreError.mapping { () throws(SystemError) in try file.isMarkedByAnother() }
  }

  /// Sets the mark, which shows others that the holder talks to the server, and clears the previous holder's stamp. If
  /// it fails, `isHeld` reports the lease as free, and nothing else goes wrong.
  package func mark() {
    withFile {
      _ = ftruncate($0.number, 0)
      $0.mark()
    }
  }

  /// Writes a timestamp into the file. The sending thread must call it each time before it waits. If it fails, others
  /// cannot tell whether the holder hangs.
  package func stamp(atMonotonicMilliseconds now: Int64) {
    let bytes = SenderStamp(processID: getpid(), monotonicMilliseconds: now).bytes
    withFile { _ = $0.overwrite(with: bytes) }
  }

  private static func open(_ home: HomeDirectory) throws(LocalStoreError) -> FileDescriptor {
    try FileDescriptor(openingLock: home.senderLockPath)
  }

  /// Releases the lease before this value is released; a second call does nothing. In a child that was forked meanwhile
  /// it only closes the file: the lease stays with the parent.
  ///
  /// It removes the locks explicitly, because a forked child would otherwise keep them until it closes its file. It
  /// removes the mark first, so that the next holder can set its own.
  package func release() {
    withFile {
      $0.unmark(setBy: processID)
      $0.unlock(takenBy: processID)
    }
    file.withLock { $0 = nil }
  }

  /// Calls `body` unless the lease was released.
  private func withFile(_ body: (borrowing FileDescriptor) -> Void) {
    file.withLock { file in
      switch file {
      case .some(let file): body(file)
      case .none: break
      }
    }
  }
}

extension HomeDirectory {
  /// Wakes the process that talks to the server: sets the times of `wake`, which its watcher sees as `IN_ATTRIB`. The
  /// first call makes the file. It ignores errors, because the worker also checks for work when it starts.
  package func poke() {
    guard utimensat(AT_FDCWD, wakePath, nil, AT_SYMLINK_NOFOLLOW) != 0 else { return }
    _ = FileDescriptor(opening: wakePath, O_WRONLY | O_CREAT | O_NOFOLLOW, permissions: 0o600)
  }
}
