import Glibc
import Testing

@testable import SystemKit

@Suite struct SystemThreadTests {
  @Test func `joining waits until the body has returned`() throws {
    let result = Monitor(0)
    let thread = try SystemThread {
      poll(nil, 0, 20)
      result.withLock { $0 = 1 }
    }
    thread.join()
    #expect(result.withLock { $0 } == 1)
    thread.join()
  }

  @Test func `a thread whose object was released continues`() throws {
    let result = Monitor(false)
    _ = try SystemThread {
      poll(nil, 0, 20)
      result.withLock { $0 = true }
      result.wakeAll()
    }
    #expect(result.wait(until: Deadline(millisecondsFromNow: 20_000)) { $0 ? true : nil } == true)
  }

  @Test func `a detached thread runs its body`() throws {
    let result = Monitor(false)
    try SystemThread.detach {
      result.withLock { $0 = true }
      result.wakeAll()
    }
    #expect(result.wait(until: Deadline(millisecondsFromNow: 20_000)) { $0 ? true : nil } == true)
  }

  @Test func `a new thread has every signal blocked, and its creator's mask is unchanged`() throws {
    @Sendable func isBlocked(_ signal: Int32) -> Bool {
      var mask = sigset_t()
      pthread_sigmask(SIG_BLOCK, nil, &mask)
      return sigismember(&mask, signal) == 1
    }
    let wasBlocked = isBlocked(SIGUSR1)
    let result = Monitor(false)
    let thread = try SystemThread { result.withLock { $0 = isBlocked(SIGUSR1) && isBlocked(SIGTERM) } }
    thread.join()
    #expect(result.withLock { $0 })
    #expect(isBlocked(SIGUSR1) == wasBlocked)
  }
}

@Suite struct KernelClockTests {
  @Test func `the clocks agree with the C library's`() {
    #expect(abs(KernelClock.wall.milliseconds() / 1000 - Int64(time(nil))) <= 1)
    // The boot clock also counts sleep.
    let monotonic = KernelClock.monotonic.milliseconds()
    #expect(KernelClock.boot.milliseconds() >= monotonic)
    #expect(abs(KernelClock.boot.seconds() * 1000 - Double(KernelClock.boot.milliseconds())) < 1000)
  }

  @Test func `the boot ID has 36 characters`() {
    #expect(KernelClock.bootID?.count == 36)
  }

  @Test func `a deadline comes nearer, and stays at zero`() {
    let deadline = Deadline(millisecondsFromNow: 1000)
    #expect((1...1000).contains(deadline.remainingMilliseconds))
    #expect(Deadline(millisecondsFromNow: -1).remainingMilliseconds == 0)
  }
}

@Suite struct WakePipeTests {
  private struct NoPipe: Error {}

  @Test func `any number of wake-ups count as one`() throws {
    guard let pipe = WakePipe() else { throw NoPipe() }
    // More than a pipe holds: the caller never waits.
    for _ in 0..<100_000 { pipe.wakeUp() }
    #expect(pipe.wait(until: Deadline(millisecondsFromNow: 0)))
    pipe.drain()
    #expect(!pipe.wait(until: Deadline(millisecondsFromNow: 0)))
  }

  @Test func `a wait does not consume the wake-up`() throws {
    guard let pipe = WakePipe() else { throw NoPipe() }
    pipe.wakeUp()
    #expect(pipe.wait(until: Deadline(millisecondsFromNow: 0)))
    #expect(pipe.wait(until: Deadline(millisecondsFromNow: 0)))
  }

  @Test func `a wake-up from another thread ends a wait`() throws {
    guard let pipe = WakePipe() else { throw NoPipe() }
    let thread = try SystemThread { pipe.wakeUp() }
    #expect(pipe.wait(until: Deadline(millisecondsFromNow: 20_000)))
    thread.join()
  }
}
