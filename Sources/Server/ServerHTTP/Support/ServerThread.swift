import Glibc
import Synchronization

/// One thread of the process, for a loop that blocks. (The cooperative pool must never block.)
final class ServerThread: Sendable {
  private let handle: Mutex<pthread_t?>

  /// Starts `body` on a new thread. Nil where the system has no thread left.
  init?(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let box = Unmanaged.passRetained(ThreadBody(body))
    guard pthread_create(&thread, nil, runThread, box.toOpaque()) == 0 else {
      box.release()
      return nil
    }
    handle = Mutex(thread)
  }

  /// Has the calling thread give way to others of the process; on Linux each thread has a nice value of its own, and 0 names the calling one.
  static func lowerPriority(by steps: Int32) {
    setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, steps)
  }

  /// Waits until the body has returned. Every call but the first returns at once.
  func join() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }
}

private final class ThreadBody {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().body()
  return nil
}
