import Glibc
import SystemKit

/// The end of the pipe that the signal handler writes to; -1 while no `SignalPipe` lives.
nonisolated(unsafe) private var handlerDescriptor: Int32 = -1

/// Turns signals into bytes of a pipe while it lives, so that a `poll` sees them beside the keys. One at a time, from the
/// thread that reads them.
final class SignalPipe {
  private let pipe: DescriptorPipe
  private let previous: [(signal: Int32, action: sigaction)]
  private var previousMask = sigset_t()

  /// Nil where the pipe cannot be made.
  init?(_ signals: [Int32]) {
    guard let pipe = DescriptorPipe(isBlocking: false) else { return nil }
    handlerDescriptor = pipe.writeEnd.number
    self.pipe = pipe
    previous = signals.map { ($0, Self.install($0)) }
    // A parent may have left them blocked: then nothing but SIGKILL would end a prompt.
    var mask = signalSet(signals)
    _ = sigprocmask(SIG_UNBLOCK, &mask, &previousMask)
  }

  deinit {
    _ = sigprocmask(SIG_SETMASK, &previousMask, nil)
    for (signal, action) in previous {
      var action = action
      _ = sigaction(signal, &action, nil)
    }
    handlerDescriptor = -1
  }

  /// Readable when a signal came. Valid for as long as this object is.
  var descriptor: Int32 { pipe.readEnd.number }

  /// The next signal that came, or nil.
  func next() -> Int32? {
    var number: UInt8 = 0
    return read(descriptor, &number, 1) == 1 ? Int32(number) : nil
  }

  /// Catches `signal`, and returns what was done about it before.
  private static func install(_ signal: Int32) -> sigaction {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = { number in
      // Only calls that signal-safety(7) allows, and the interrupted code's errno is left as it was.
      let saved = errno
      var byte = UInt8(truncatingIfNeeded: number)
      _ = write(handlerDescriptor, &byte, 1)
      errno = saved
    }
    var previous = sigaction()
    _ = sigaction(signal, &action, &previous)
    return previous
  }
}

/// Ends this process as `signal` would have, so that the caller sees why.
func dieOfSignal(_ number: Int32) -> Never {
  _ = signal(number, SIG_DFL)
  var mask = signalSet([number])
  _ = sigprocmask(SIG_UNBLOCK, &mask, nil)
  _ = kill(getpid(), number)
  exit(128 + number)
}

/// The signals as a set.
func signalSet(_ numbers: [Int32]) -> sigset_t {
  var set = sigset_t()
  sigemptyset(&set)
  for number in numbers { sigaddset(&set, number) }
  return set
}
