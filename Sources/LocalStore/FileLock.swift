import CLinux
import Glibc
import Synchronization

/// An exclusive `flock` on a file, taken and given back many times, by any thread.
///
/// The lock belongs to the open file, so threads and values of this type keep each other out as processes do.
final class FileLock: Sendable {
  private let path: String
  /// An open descriptor that nobody uses now; below 0: none.
  private let spare: Mutex<Int32>

  /// Opens the file, and makes it with mode 0600 where it is missing.
  init(_ path: String) throws(LocalStoreError) {
    self.path = path
    spare = Mutex(try Self.open(path))
  }

  deinit {
    spare.withLock { if $0 >= 0 { close($0) } }
  }

  fileprivate static func open(_ path: String) throws(LocalStoreError) -> Int32 {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw LocalStoreError(errorNumber: errno, "open \(path)") }
    // Whatever the umask. It fails only for a file of somebody else, which is as it is.
    fchmod(descriptor, 0o600)
    return descriptor
  }

  /// Runs `body` with the lock held. Throws `busy` where it is not free by the deadline.
  func withLock<Result>(
    until deadline: Deadline, _ body: () throws(LocalStoreError) -> Result
  ) throws(LocalStoreError) -> Result {
    let descriptor = try acquire(until: deadline)
    defer { release(descriptor) }
    return try body()
  }

  /// Runs `body` where the lock is free at once; nil where it is not.
  func withLockIfFree<Result>(_ body: () -> Result) throws(LocalStoreError) -> Result? {
    let descriptor = try takeDescriptor()
    guard try isLocked(descriptor) else {
      putBack(descriptor)
      return nil
    }
    defer { release(descriptor) }
    return body()
  }

  private func acquire(until deadline: Deadline) throws(LocalStoreError) -> Int32 {
    let descriptor = try takeDescriptor()
    if try isLocked(descriptor) { return descriptor }
    guard deadline.remainingMilliseconds > 0 else {
      putBack(descriptor)
      throw Self.busy
    }
    guard let locked = try LockQueue.shared.wait(with: descriptor, path: path, until: deadline) else { throw Self.busy }
    return locked
  }

  fileprivate static let busy = LocalStoreError(.busy, "another program keeps the store locked")

  private func takeDescriptor() throws(LocalStoreError) -> Int32 {
    let taken = spare.withLock { spare in
      defer { spare = -1 }
      return spare
    }
    return taken >= 0 ? taken : try Self.open(path)
  }

  private func putBack(_ descriptor: Int32) {
    let isKept = spare.withLock { spare in
      guard spare < 0 else { return false }
      spare = descriptor
      return true
    }
    if !isKept { close(descriptor) }
  }

  /// Takes the lock where it is free.
  private func isLocked(_ descriptor: Int32) throws(LocalStoreError) -> Bool {
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else {
        let error = LocalStoreError(errorNumber: errno, "lock \(path)")
        close(descriptor)
        throw error
      }
    }
    return true
  }

  private func release(_ descriptor: Int32) {
    flock(descriptor, LOCK_UN)
    putBack(descriptor)
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
  private let waiting = Mutex<[FileSystem.Identity: [Waiter]]>([:])

  /// Waits for the lock of the file that `descriptor` has open, and takes that descriptor over. Gives the descriptor that
  /// holds the lock, or nil where the deadline passed.
  func wait(
    with descriptor: Int32, path: String, until deadline: Deadline
  ) throws(LocalStoreError) -> Int32? {
    let waiter: Waiter
    let identity: FileSystem.Identity
    do throws(LocalStoreError) {
      waiter = try Waiter()
      identity = try Self.identity(of: descriptor)
    } catch {
      close(descriptor)
      throw error
    }
    let needsThread = waiting.withLock { waiting in
      defer { waiting[identity, default: []].append(waiter) }
      return waiting[identity] == nil
    }
    if !needsThread {
      close(descriptor)
    } else if !LockThread.start({ [self] in
      lifesignal_name_thread(Self.threadName(identity))
      serve(identity, descriptor, path)
    }) {
      close(descriptor)
      fail(identity)
    }
    waiter.wait(until: deadline)
    waiting.withLock { $0[identity]?.removeAll { $0 === waiter } }
    // Whoever takes it from the queue settles it first: after the line above it cannot change any more.
    return try waiter.outcome()
  }

  /// What the file's thread is called: `flock` and the end of the inode's number.
  private static func threadName(_ identity: FileSystem.Identity) -> String {
    "flock \(identity.inode % 1_000_000_000)"
  }

  /// On the file's thread.
  private func serve(_ identity: FileSystem.Identity, _ first: Int32, _ path: String) {
    var descriptor = first
    while true {
      var result = flock(descriptor, LOCK_EX)
      while result != 0 && errno == EINTR { result = flock(descriptor, LOCK_EX) }
      guard result == 0 else {
        close(descriptor)
        return fail(identity)
      }
      let (isTaken, areMoreWaiting) = waiting.withLock { waiting in
        let next = waiting[identity]?.first
        next?.settle(.acquired(descriptor))
        waiting[identity]?.removeFirst(next == nil ? 0 : 1)
        let areMore = waiting[identity]?.isEmpty == false
        if !areMore { waiting[identity] = nil }
        return (next != nil, areMore)
      }
      if !isTaken { close(descriptor) }
      guard areMoreWaiting else { return }
      do throws(LocalStoreError) {
        descriptor = try FileLock.open(path)
        guard try Self.identity(of: descriptor) == identity else {
          // Another file has the name: whoever comes back opens that one.
          close(descriptor)
          return fail(identity)
        }
      } catch {
        return fail(identity)
      }
    }
  }

  /// Lets all who wait for the file go without it.
  private func fail(_ identity: FileSystem.Identity) {
    waiting.withLock { waiting in
      for waiter in waiting.removeValue(forKey: identity) ?? [] { waiter.settle(.failed) }
    }
  }

  private static func identity(of descriptor: Int32) throws(LocalStoreError) -> FileSystem.Identity {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw LocalStoreError(errorNumber: errno, "look at the lock") }
    return FileSystem.Identity(device: UInt(status.st_dev), inode: UInt(status.st_ino))
  }
}

/// One who waits for a lock.
private final class Waiter: Sendable {
  enum State { case waiting, acquired(Int32), failed }

  private let state = Mutex(State.waiting)
  private let doneReader: Int32
  private let doneWriter: Int32

  init() throws(LocalStoreError) {
    var ends: [Int32] = [-1, -1]
    guard lifesignal_pipe(&ends) == 0 else { throw LocalStoreError(errorNumber: errno, "wait for the lock") }
    (doneReader, doneWriter) = (ends[0], ends[1])
  }

  deinit {
    close(doneReader)
    close(doneWriter)
  }

  func settle(_ outcome: State) {
    state.withLock { $0 = outcome }
    var byte: UInt8 = 1
    write(doneWriter, &byte, 1)
  }

  /// Returns when it is settled, or the deadline has passed.
  func wait(until deadline: Deadline) {
    var poll = pollfd(fd: doneReader, events: Int16(POLLIN), revents: 0)
    while Glibc.poll(&poll, 1, Int32(clamping: deadline.remainingMilliseconds)) < 0 && errno == EINTR {}
  }

  /// nil: not acquired.
  func outcome() throws(LocalStoreError) -> Int32? {
    switch state.withLock({ $0 }) {
    case .acquired(let descriptor): return descriptor
    case .waiting: return nil
    case .failed: throw FileLock.busy
    }
  }
}

/// A detached thread that has every signal blocked: they are for the process's own threads.
private enum LockThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var everySignal = sigset_t()
    var earlier = sigset_t()
    sigfillset(&everySignal)
    pthread_sigmask(SIG_SETMASK, &everySignal, &earlier)
    defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let error = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run() }
        return nil
      }, context.toOpaque())
    guard error == 0 else {
      context.release()
      return false
    }
    pthread_detach(thread)
    return true
  }
}
