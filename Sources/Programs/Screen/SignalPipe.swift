import Dispatch
import Glibc
import SystemKit

/// The end of the pipe that the signal handler writes to.
nonisolated(unsafe) private var handlerDescriptor: Int32 = -1

/// Signals as events of the main queue, so that everything they lead to is ordinary code.
@MainActor final class SignalPipe {
  private let pipe: DescriptorPipe
  private let source: any DispatchSourceRead

  /// Calls `receive` for each of `signals` that comes, for as long as the program runs. Nil where there is no pipe to be
  /// had.
  init?(_ signals: [Int32], receive: @escaping @MainActor (Int32) -> Void) {
    guard let pipe = DescriptorPipe(isBlocking: false) else { return nil }
    let readable = pipe.readEnd.number
    handlerDescriptor = pipe.writeEnd.number
    self.pipe = pipe
    source = DispatchSource.makeReadSource(fileDescriptor: readable, queue: .main)
    source.setEventHandler {
      var number: UInt8 = 0
      while read(readable, &number, 1) == 1 {
        let signal = Int32(number)
        MainActor.assumeIsolated { receive(signal) }
      }
    }
    source.activate()
    for signal in signals { Self.take(signal) }
    // A parent may have left them blocked.
    var mask = signalSet(signals)
    _ = sigprocmask(SIG_UNBLOCK, &mask, nil)
  }

  /// Has `signal` told again, after something else was done about it.
  static func take(_ signal: Int32) {
    var action = sigaction()
    action.sa_flags = Int32(SA_RESTART)
    action.__sigaction_handler.sa_handler = { number in
      // Only calls that signal-safety(7) allows, and the interrupted code's errno is left as it was.
      let saved = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(handlerDescriptor, &byte, 1)
      errno = saved
    }
    _ = sigaction(signal, &action, nil)
  }
}

/// Does to this process what `signal` does by itself: it ends, or it stops until it is continued.
func takeDefaultAction(of number: Int32) {
  _ = signal(number, SIG_DFL)
  var mask = signalSet([number])
  _ = sigprocmask(SIG_UNBLOCK, &mask, nil)
  _ = kill(getpid(), number)
}

/// The signals as a set.
func signalSet(_ numbers: [Int32]) -> sigset_t {
  var set = sigset_t()
  sigemptyset(&set)
  for number in numbers { sigaddset(&set, number) }
  return set
}
