import Glibc

/// A thread that nobody joins.
package enum DetachedThread {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  /// Runs `body` on a new thread, which has every signal blocked: they are for the process's own threads.
  ///
  /// Gives 0, or the `errno` of why no thread can be started.
  package static func start(_ body: @escaping @Sendable () -> Void) -> Int32 {
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
      return error
    }
    pthread_detach(thread)
    return 0
  }
}
