import Glibc

/// The end of the pipe that the signal handler writes to; -1 while no `SignalPipe` lives.
nonisolated(unsafe) private var handlerDescriptor: Int32 = -1

/// Turns signals into bytes of a pipe while it lives, so that a `poll` sees them and ordinary code handles them. A process has at most
/// one at a time, created and destroyed by the thread that reads it.
package final class SignalPipe {
  private let pipe: DescriptorPipe
  private let flags: Int32
  private var previous: [(signal: Int32, action: sigaction)] = []
  private var previousMask: SignalMask?

  /// Catches `signals` on the calling thread, even those that a parent left blocked. Nil if the pipe cannot be created.
  ///
  /// - Parameter restartsCalls: whether an interrupted system call continues instead of failing with `EINTR`.
  package init?(_ signals: [Int32], restartsCalls: Bool = false) {
    guard let pipe = DescriptorPipe(isBlocking: false) else { return nil }
    handlerDescriptor = pipe.writeEnd.number
    self.pipe = pipe
    flags = restartsCalls ? Int32(SA_RESTART) : 0
    previous = signals.map { ($0, take($0)) }
    previousMask = SignalMask.unblock(signals)
  }

  /// Restores the previous handling of the signals.
  deinit {
    previousMask?.restore()
    for (signal, action) in previous {
      var action = action
      _ = sigaction(signal, &action, nil)
    }
    handlerDescriptor = -1
  }

  /// Readable when a signal came. Valid for as long as this object is.
  package var descriptor: Int32 { pipe.readEnd.number }

  /// The next signal that came, or nil.
  package func next() -> Int32? {
    pipe.readEnd.read(upTo: 1).first.map(Int32.init)
  }

  /// Catches `signal` again, after its handling was changed.
  package func takeAgain(_ signal: Int32) { _ = take(signal) }

  /// Catches `signal`, and returns its previous handling.
  private func take(_ signal: Int32) -> sigaction {
    var action = sigaction()
    action.sa_flags = flags
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
