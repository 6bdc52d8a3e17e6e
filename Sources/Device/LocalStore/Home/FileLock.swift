import Glibc
import SystemKit

/// An exclusive `flock` on a file, which any thread may acquire and release many times.
///
/// The lock belongs to the open file description, so it also excludes other threads and other values of this type.
final class FileLock: Sendable {
  private let path: String
  /// An open descriptor of the file that is not in use.
  private let spare: Lock<FileDescriptor?>

  /// Opens the file, and creates it with mode 0600 if it is missing.
  init(_ path: String) throws(LocalStoreError) {
    self.path = path
    spare = Lock(try FileDescriptor(openingLock: path))
  }

  /// Runs `body` with the lock held. Throws `busy` if the lock is not free by the deadline.
  func withLock<Result>(
    until deadline: Deadline, _ body: () throws(LocalStoreError) -> Result
  ) throws(LocalStoreError) -> Result {
    let file = try acquire(until: deadline)
    let processID = getpid()
    let result: Result
    do throws(LocalStoreError) {
      result = try body()
    } catch {
      // Closing the file would not release the lock: a child that was forked meanwhile also has it open.
      release(file, takenBy: processID)
      throw error
    }
    release(file, takenBy: processID)
    return result
  }

  /// Runs `body` if the lock is free now. Returns nil if it is not.
  func withLockIfFree<Result>(_ body: () -> Result) throws(LocalStoreError) -> Result? {
    let file = try takeFile()
    guard try tryLock(file) else {
      putBack(file)
      return nil
    }
    let processID = getpid()
    let result = body()
    release(file, takenBy: processID)
    return result
  }

  private func acquire(until deadline: Deadline) throws(LocalStoreError) -> FileDescriptor {
    let file = try takeFile()
    if try tryLock(file) { return file }
    guard deadline.remainingMilliseconds > 0 else {
      putBack(file)
      throw Self.busy
    }
    guard let locked = try LockQueue.shared.wait(with: file, path: path, until: deadline) else { throw Self.busy }
    return locked
  }

  fileprivate static let busy = LocalStoreError(.busy, "another program keeps the store locked")

  private func takeFile() throws(LocalStoreError) -> FileDescriptor {
    if let file = spare.withLock({ $0.take() }) { return file }
    return try FileDescriptor(openingLock: path)
  }

  private func putBack(_ file: consuming FileDescriptor) {
    var file: FileDescriptor? = file
    spare.withLock { if $0 == nil { $0 = file.take() } }
  }

  /// Acquires the lock if it is free. Returns whether it did.
  private func tryLock(_ file: borrowing FileDescriptor) throws(LocalStoreError) -> Bool {
    do throws(SystemError) {
      return try file.tryLock()
    } catch {
      throw LocalStoreError(errorNumber: error.number, "lock \(path)")
    }
  }

  private func release(_ file: consuming FileDescriptor, takenBy processID: Int32) {
    file.unlock(takenBy: processID)
    putBack(file)
  }
}

extension FileDescriptor {
  /// Opens a lock file, and creates it with mode 0600 if it is missing.
  init(openingLock path: String) throws(LocalStoreError) {
    guard let file = FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600) else {
      throw LocalStoreError(errorNumber: errno, "open \(path)")
    }
    // The umask may have removed permissions. This fails only for another user's file, whose mode is that user's
    // choice.
    fchmod(file.number, 0o600)
    self = file
  }
}

/// `flock` with a timeout, for all locks of the process.
///
/// `flock` has no timeout, so a thread blocks in it on behalf of the waiters. Each locked file has at most one such
/// thread and one descriptor, for any number of waiters and retries: while another process holds the lock, nothing
/// grows. If there are no waiters when the thread acquires the lock, it releases the lock and ends.
private final class LockQueue: Sendable {
  static let shared = LockQueue()

  /// The waiters for each file, in order of arrival. A file has an entry while it has a thread.
  private let waiting = Lock<[FileSystem.Identity: [Waiter]]>([:])

  /// Waits for the lock of `file`, and takes ownership of that descriptor. Returns the descriptor that holds the lock,
  /// or nil if the deadline passed.
  func wait(
    with file: consuming FileDescriptor, path: String, until deadline: Deadline
  ) throws(LocalStoreError) -> FileDescriptor? {
    let waiter = Waiter()
    let identity = try Self.identity(of: file)
    let needsThread = waiting.withLock { waiting in
      defer { waiting[identity, default: []].append(waiter) }
      return waiting[identity] == nil
    }
    if needsThread { startThread(for: identity, with: file, path: path) }
    waiter.wait(until: deadline)
    waiting.withLock { $0[identity]?.removeAll { $0 === waiter } }
    // A waiter is settled before it is removed from the queue, so its outcome is final after the line above.
    return try waiter.outcome()
  }

  private func startThread(for identity: FileSystem.Identity, with file: consuming FileDescriptor, path: String) {
    let handover = Handover(file)
    do throws(SystemError) {
      try SystemThread.detach { [self] in
        SystemThread.name(Self.threadName(identity))
        if let file = handover.take() { serve(identity, file, path) }
      }
    } catch {
      fail(identity)
    }
  }

  /// The name of the file's thread: `flock` and the last digits of the inode number.
  private static func threadName(_ identity: FileSystem.Identity) -> String {
    "flock \(identity.inode % 1_000_000_000)"
  }

  /// The body of the file's thread: passes the lock to the waiters in turn, until there are none.
  private func serve(_ identity: FileSystem.Identity, _ first: consuming FileDescriptor, _ path: String) {
    var file = first
    while true {
      do throws(SystemError) {
        try file.lock()
      } catch {
        return fail(identity)
      }
      var locked: FileDescriptor? = file
      let areMoreWaiting = waiting.withLock { waiting in
        if let next = waiting[identity]?.first, let file = locked.take() {
          next.settle(file)
          waiting[identity]?.removeFirst()
        }
        let areMore = waiting[identity]?.isEmpty == false
        if !areMore { waiting[identity] = nil }
        return areMore
      }
      guard areMoreWaiting else { return }
      do throws(LocalStoreError) {
        file = try FileDescriptor(openingLock: path)
        // If the path now names another file, the waiters fail, and a retry opens that file.
        guard try Self.identity(of: file) == identity else { return fail(identity) }
      } catch {
        return fail(identity)
      }
    }
  }

  /// Fails all waiters of the file.
  private func fail(_ identity: FileSystem.Identity) {
    waiting.withLock { waiting in
      for waiter in waiting.removeValue(forKey: identity) ?? [] { waiter.fail() }
    }
  }

  private static func identity(of file: borrowing FileDescriptor) throws(LocalStoreError) -> FileSystem.Identity {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw LocalStoreError(errorNumber: errno, "read the lock's status") }
    return FileSystem.Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
  }
}

/// Passes a descriptor to another thread.
private final class Handover: Sendable {
  private let file: Lock<FileDescriptor?>
  init(_ file: consuming FileDescriptor) { self.file = Lock(file) }
  func take() -> FileDescriptor? { file.withLock { $0.take() } }
}

/// A thread that waits for a lock.
private final class Waiter: Sendable {
  private struct Outcome: ~Copyable {
    /// The descriptor that holds the lock.
    var file: FileDescriptor?
    var hasFailed = false
  }

  private let settled = Monitor(Outcome())

  /// Ends the wait with the descriptor that holds the lock.
  func settle(_ file: consuming FileDescriptor) {
    var file: FileDescriptor? = file
    settled.withLock { $0.file = file.take() }
    settled.wakeAll()
  }

  func fail() {
    settled.withLock { $0.hasFailed = true }
    settled.wakeAll()
  }

  /// Returns when the wait was ended or the deadline has passed.
  func wait(until deadline: Deadline) {
    _ = settled.wait(until: deadline) { $0.hasFailed || $0.file != nil ? true : nil }
  }

  /// Takes the descriptor that holds the lock; nil if the deadline passed first. Throws `busy` if waiting failed.
  func outcome() throws(LocalStoreError) -> FileDescriptor? {
    var hasFailed = false
    let file = settled.withLock { settled in
      hasFailed = settled.hasFailed
      return settled.file.take()
    }
    guard !hasFailed else { throw FileLock.busy }
    return file
  }
}
