import Glibc
import SystemKit

/// An exclusive `flock` on a file, taken and given back many times, by any thread.
///
/// The lock belongs to the open file, so threads and values of this type keep each other out as processes do.
final class FileLock: Sendable {
  private let path: String
  /// An open file that nobody uses now.
  private let spare: Lock<FileDescriptor?>

  /// Opens the file, and makes it with mode 0600 where it is missing.
  init(_ path: String) throws(LocalStoreError) {
    self.path = path
    spare = Lock(try FileDescriptor(openingLock: path))
  }

  /// Runs `body` with the lock held. Throws `busy` where it is not free by the deadline.
  func withLock<Result>(
    until deadline: Deadline, _ body: () throws(LocalStoreError) -> Result
  ) throws(LocalStoreError) -> Result {
    let file = try acquire(until: deadline)
    let processID = getpid()
    let result: Result
    do throws(LocalStoreError) {
      result = try body()
    } catch {
      // To close the file would not be enough: a child that was forked meanwhile has it open too.
      release(file, takenBy: processID)
      throw error
    }
    release(file, takenBy: processID)
    return result
  }

  /// Runs `body` where the lock is free at once; nil where it is not.
  func withLockIfFree<Result>(_ body: () -> Result) throws(LocalStoreError) -> Result? {
    let file = try takeFile()
    guard try isLocked(file) else {
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
    if try isLocked(file) { return file }
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

  /// Takes the lock where it is free.
  private func isLocked(_ file: borrowing FileDescriptor) throws(LocalStoreError) -> Bool {
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
  /// Opens a file that is there to be locked, and makes it with mode 0600 where it is missing.
  init(openingLock path: String) throws(LocalStoreError) {
    guard let file = FileDescriptor(opening: path, O_RDWR | O_CREAT | O_NOFOLLOW, permissions: 0o600) else {
      throw LocalStoreError(errorNumber: errno, "open \(path)")
    }
    // Whatever the umask. It fails only for a file of somebody else, which is as it is.
    fchmod(file.number, 0o600)
    self = file
  }
}

/// `flock` with a timeout, for all locks of the process.
///
/// `flock` has no timeout, so a thread blocks in it for those who wait. There is one such thread and one descriptor for each
/// locked file, however many wait and however often they come back: while another process keeps the lock, nothing grows.
/// Where nobody waits any more when the lock comes, the thread lets it go and ends.
private final class LockQueue: Sendable {
  static let shared = LockQueue()

  /// Who waits for each file, in the order in which they came. An entry is there while the file has its thread.
  private let waiting = Lock<[FileSystem.Identity: [Waiter]]>([:])

  /// Waits for the lock of `file`, and takes that descriptor over. Gives the descriptor that holds the lock, or nil where
  /// the deadline passed.
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
    // Whoever takes it from the queue settles it first: after the line above it cannot change any more.
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

  /// What the file's thread is called: `flock` and the end of the inode's number.
  private static func threadName(_ identity: FileSystem.Identity) -> String {
    "flock \(identity.inode % 1_000_000_000)"
  }

  /// On the file's thread.
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
        // Where another file has the name, those who wait come back and open that one.
        guard try Self.identity(of: file) == identity else { return fail(identity) }
      } catch {
        return fail(identity)
      }
    }
  }

  /// Lets all who wait for the file go without it.
  private func fail(_ identity: FileSystem.Identity) {
    waiting.withLock { waiting in
      for waiter in waiting.removeValue(forKey: identity) ?? [] { waiter.fail() }
    }
  }

  private static func identity(of file: borrowing FileDescriptor) throws(LocalStoreError) -> FileSystem.Identity {
    var status = stat()
    guard fstat(file.number, &status) == 0 else { throw LocalStoreError(errorNumber: errno, "look at the lock") }
    return FileSystem.Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
  }
}

/// A descriptor on its way to another thread.
private final class Handover: Sendable {
  private let file: Lock<FileDescriptor?>
  init(_ file: consuming FileDescriptor) { self.file = Lock(file) }
  func take() -> FileDescriptor? { file.withLock { $0.take() } }
}

/// One who waits for a lock.
private final class Waiter: Sendable {
  private struct Outcome: ~Copyable {
    /// Holds the lock.
    var file: FileDescriptor?
    var hasFailed = false
  }

  private let settled = Monitor(Outcome())

  /// Gives it the file that holds the lock.
  func settle(_ file: consuming FileDescriptor) {
    var file: FileDescriptor? = file
    settled.withLock { $0.file = file.take() }
    settled.wakeAll()
  }

  func fail() {
    settled.withLock { $0.hasFailed = true }
    settled.wakeAll()
  }

  /// Returns when it is settled, or the deadline has passed.
  func wait(until deadline: Deadline) {
    _ = settled.wait(until: deadline) { $0.hasFailed || $0.file != nil ? true : nil }
  }

  /// nil: not acquired.
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
