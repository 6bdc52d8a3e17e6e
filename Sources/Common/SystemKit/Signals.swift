import CLinux
package import Glibc

extension sigset_t {
  /// The set of these signals.
  package init(_ signals: [Int32]) {
    self.init()
    sigemptyset(&self)
    for signal in signals { sigaddset(&self, signal) }
  }
}

/// Which signals the calling thread has blocked. Threads that it starts begin with the same.
package struct SignalMask {
  private var set: sigset_t

  /// Blocks these too. Returns the mask from before.
  @discardableResult
  package static func block(_ signals: [Int32]) -> SignalMask { change(SIG_BLOCK, sigset_t(signals)) }

  /// Blocks every signal. Returns the mask from before.
  package static func blockAll() -> SignalMask {
    var all = sigset_t()
    sigfillset(&all)
    return change(SIG_SETMASK, all)
  }

  /// Lets these come, also where a parent has left them blocked. Returns the mask from before.
  @discardableResult
  package static func unblock(_ signals: [Int32]) -> SignalMask { change(SIG_UNBLOCK, sigset_t(signals)) }

  /// Makes it the mask of the calling thread again.
  package func restore() { _ = Self.change(SIG_SETMASK, set) }

  private static func change(_ how: Int32, _ set: sigset_t) -> SignalMask {
    var (set, before) = (set, sigset_t())
    // It fails only for another `how`.
    pthread_sigmask(how, &set, &before)
    return SignalMask(set: before)
  }
}

/// Does to this process what `signal` does by itself: it ends, or it stops until it is continued.
package func takeDefaultAction(of signal: Int32) {
  _ = Glibc.signal(signal, SIG_DFL)
  SignalMask.unblock([signal])
  _ = kill(getpid(), signal)
}

/// Has a write that is not possible fail in its call. By default these signals would end the process: SIGPIPE, where the reader is gone
/// (EPIPE), and SIGXFSZ, where the file would exceed the limit of `ulimit -f` (EFBIG).
package func ignoreSignalsOfWrites() {
  for signal in [SIGPIPE, SIGXFSZ] { _ = Glibc.signal(signal, SIG_IGN) }
}

/// Sleeps until one of `signals` comes, and takes it. They must be blocked in every thread.
package func waitForSignal(_ signals: [Int32]) -> Int32 {
  var set = sigset_t(signals)
  var signal: Int32 = 0
  while sigwait(&set, &signal) != 0 {}
  return signal
}

/// The same for at most `milliseconds`; nil if none came, or something else interrupted the wait.
package func waitForSignal(_ signals: [Int32], milliseconds: Int) -> Int32? {
  var set = sigset_t(signals)
  var limit = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
  let signal = sigtimedwait(&set, nil, &limit)
  return signal > 0 ? signal : nil
}

/// SIGTERM, SIGINT and SIGHUP as something to wait for, in place of interrupting: signalfd(2).
///
/// Made on the main thread before any other thread: the signals are blocked in it, and in all that it starts. It also ignores
/// SIGPIPE: a peer that went away is an error of the call.
package struct SignalDescriptor: ~Copyable, Sendable {
  private let file: FileDescriptor

  package init() throws(SystemError) {
    guard let file = FileDescriptor(owning: lifesignal_signals_open()) else {
      throw SystemError(errno, "wait for signals")
    }
    self.file = file
  }

  /// Readable when a signal came. Valid during the value's life.
  package var descriptor: Int32 { file.number }

  /// The next signal that came, or nil.
  package func next() -> Int32? {
    let signal = lifesignal_signals_next(file.number)
    return signal == 0 ? nil : signal
  }
}
