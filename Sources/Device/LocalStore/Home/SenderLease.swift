import Glibc
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
  private let file: Lock<FileDescriptor?>
  /// The process that took it. A forked child has the same open file, and may give nothing back.
  private let processID = getpid()

  /// `file` is locked.
  private init(_ file: consuming FileDescriptor) {
    self.file = Lock(file)
  }

  deinit {
    release()
  }

  /// How often a lock that nobody has marked is tried again: its holder is about to mark it, or to let it go.
  private static let attemptLimit = 1000

  /// nil where another process, or another value in this one, holds it.
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

  /// Blocks until it is free, and takes it. It is not marked: nobody counts on its holder yet.
  package static func waitAndAcquire(_ home: HomeDirectory) throws(LocalStoreError) -> SenderLease {
    let file = try open(home)
    try LocalStoreError.mapping { () throws(SystemError) in try file.lock() }
    return SenderLease(file)
  }

  /// Whether somebody who speaks to the server holds it. It takes nothing.
  package static func isHeld(_ home: HomeDirectory) throws(LocalStoreError) -> Bool {
    let path = home.senderLockPath
    guard let file = FileDescriptor(opening: path, O_RDONLY | O_NOFOLLOW) else {
      if errno == ENOENT { return false }
      throw LocalStoreError(errorNumber: errno, "open \(path)")
    }
    return try LocalStoreError.mapping { () throws(SystemError) in try file.isMarkedByAnother() }
  }

  /// Says to those who look that its holder speaks to the server, and takes away what the last one wrote of itself. Best effort:
  /// without it they take the lease for free, and nothing else.
  package func mark() {
    withFile {
      _ = ftruncate($0.number, 0)
      $0.mark()
    }
  }

  /// Notes in the file that the thread which sends has just done so: to be called by that thread, each time before it waits.
  /// Best effort: where it fails nobody can tell whether the holder moves.
  package func stamp(atMonotonicMilliseconds now: Int64) {
    let bytes = SenderStamp(processID: getpid(), monotonicMilliseconds: now).bytes
    withFile { _ = $0.overwrite(with: bytes) }
  }

  private static func open(_ home: HomeDirectory) throws(LocalStoreError) -> FileDescriptor {
    try FileDescriptor(openingLock: home.senderLockPath)
  }

  /// Lets it go before the value does; a second call does nothing. In a child that was forked meanwhile it only closes the file: the
  /// lease stays its parent's.
  ///
  /// The locks are removed, and not only the file closed: such a child would keep the lease until it closes the file. The mark goes
  /// first, so that the next holder can set its own.
  package func release() {
    withFile {
      $0.unmark(setBy: processID)
      $0.unlock(takenBy: processID)
    }
    file.withLock { $0 = nil }
  }

  /// Calls `body` unless it was let go.
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
  /// Tells whoever speaks to the server that there is work: sets the times of `wake`, so a watcher sees `IN_ATTRIB`; the
  /// first time it makes the file. Best effort: the worker also looks when it starts.
  package func poke() {
    guard utimensat(AT_FDCWD, wakePath, nil, AT_SYMLINK_NOFOLLOW) != 0 else { return }
    _ = FileDescriptor(opening: wakePath, O_WRONLY | O_CREAT | O_NOFOLLOW, permissions: 0o600)
  }
}
