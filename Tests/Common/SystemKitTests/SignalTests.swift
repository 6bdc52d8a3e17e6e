import Glibc
import Testing

@testable import SystemKit

/// Serialized, since a signal's handler belongs to the whole process.
@Suite(.serialized) struct SignalTests {
  private struct NoPipe: Error {}

  private func handler(of signal: Int32) -> UInt {
    var action = sigaction()
    _ = sigaction(signal, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
  }

  @Test func `signals come in order through the pipe, which restores the handlers at its end`() throws {
    let before = handler(of: SIGUSR2)
    do {
      guard let pipe = SignalPipe([SIGUSR2, SIGWINCH]) else { throw NoPipe() }
      raise(SIGUSR2)
      raise(SIGWINCH)
      #expect([pipe.next(), pipe.next(), pipe.next()] == [SIGUSR2, SIGWINCH, nil])
      #expect(handler(of: SIGUSR2) != before)
    }
    #expect(handler(of: SIGUSR2) == before)
  }

  @Test func `a signal that was released is caught again`() throws {
    guard let pipe = SignalPipe([SIGUSR2]) else { throw NoPipe() }
    signal(SIGUSR2, SIG_IGN)
    raise(SIGUSR2)
    #expect(pipe.next() == nil)
    pipe.takeAgain(SIGUSR2)
    raise(SIGUSR2)
    #expect(pipe.next() == SIGUSR2)
  }

  @Test func `a handler does not change errno of the code that it interrupts`() throws {
    guard let pipe = SignalPipe([SIGUSR2]) else { throw NoPipe() }
    // The handler's write fails once the pipe is full.
    for _ in 0..<70_000 { raise(SIGUSR2) }
    errno = ERANGE
    raise(SIGUSR2)
    let error = errno
    #expect(error == ERANGE)
    #expect(pipe.next() == SIGUSR2)
  }

  @Test func `a blocked signal waits for the thread that asks for it`() throws {
    let result = Monitor<Int32>(0)
    let thread = try SystemThread {
      raise(SIGUSR1)
      let signal = waitForSignal([SIGUSR1])
      result.withLock { $0 = signal }
    }
    thread.join()
    #expect(result.withLock { $0 } == SIGUSR1)
  }

  @Test func `a mask is restored`() throws {
    let result = Monitor<[Bool]>([])
    @Sendable func isBlocked() -> Bool {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      return sigismember(&mask, SIGUSR1) == 1
    }
    let thread = try SystemThread {
      var seen = [isBlocked()]
      let before = SignalMask.unblock([SIGUSR1])
      seen.append(isBlocked())
      before.restore()
      seen.append(isBlocked())
      let answers = seen
      result.withLock { $0 = answers }
    }
    thread.join()
    #expect(result.withLock { $0 } == [true, false, true])
  }

  @Test func `a descriptor returns the signals that would end a program`() throws {
    let result = Monitor<[Int32?]>([])
    let thread = try SystemThread {
      guard let signals = try? SignalDescriptor() else { return }
      raise(SIGHUP)
      let first = signals.next()
      raise(SIGTERM)
      let taken = [first, signals.next(), signals.next()]
      result.withLock { $0 = taken }
    }
    thread.join()
    #expect(result.withLock { $0 } == [SIGHUP, SIGTERM, nil])
  }
}
