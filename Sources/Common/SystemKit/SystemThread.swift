import CLinux
import Glibc

/// One thread of the process, for work that blocks: the cooperative pool must never block.
///
/// It has every signal blocked: they are for the threads that the program itself sets up.
package final class SystemThread: Sendable {
  private let handle: Lock<pthread_t?>

  /// Runs `body` on a new thread. Throws where the system has none left.
  ///
  /// Nobody has to call `join`: a thread whose object goes away goes on by itself.
  package init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    handle = Lock(try startThread(body))
  }

  deinit {
    if let thread = handle.withLock({ $0 }) { pthread_detach(thread) }
  }

  /// Runs `body` on a new thread that nobody joins. Throws where the system has none left.
  package static func detach(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    pthread_detach(try startThread(body))
  }

  /// Waits until the body has returned. Every call but the first returns at once.
  package func join() {
    let thread = handle.withLock { handle in
      defer { handle = nil }
      return handle
    }
    if let thread { pthread_join(thread, nil) }
  }

  /// Has the calling thread give way to others of the process; on Linux each thread has a nice value of its own, and 0 names the
  /// calling one.
  package static func lowerPriority(by steps: Int32) {
    setpriority(__priority_which_t(UInt32(PRIO_PROCESS.rawValue)), 0, steps)
  }

  /// Names the calling thread, for those who look at the process: at most 15 bytes of UTF-8.
  package static func name(_ name: String) {
    lifesignal_name_thread(name)
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

private func startThread(_ body: @escaping @Sendable () -> Void) throws(SystemError) -> pthread_t {
  // A new thread has the mask of the one that starts it.
  let before = SignalMask.blockAll()
  defer { before.restore() }
  let context = Unmanaged.passRetained(ThreadBody(body))
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue().run() }
      return nil
    }, context.toOpaque())
  guard error == 0 else {
    context.release()
    throw SystemError(error, "start a thread")
  }
  return thread
}
