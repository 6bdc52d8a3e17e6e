import Testing

@testable import SystemKit

@Suite struct LockTests {
  private enum Refusal: Error { case refused }

  @Test func `no thread's change under the lock is lost`() throws {
    let count = Counter()
    let threads = try (0..<8).map { _ in
      try SystemThread { for _ in 0..<10_000 { count.value.withLock { $0 += 1 } } }
    }
    for thread in threads { thread.join() }
    #expect(count.value.withLock { $0 } == 80_000)
  }

  @Test func `an error keeps its type and releases the lock`() {
    let lock = Lock(0)
    do throws(Refusal) {
      try lock.withLock { (value) throws(Refusal) in
        value = 1
        throw .refused
      }
    } catch {
      #expect(error == .refused)
    }
    #expect(lock.withLockIfAvailable { $0 } == 1)
  }

  @Test func `a lock that another thread holds is not available`() throws {
    let count = Counter()
    try count.value.withLock { _ in
      let thread = try SystemThread {
        #expect(count.value.withLockIfAvailable { $0 } == nil)
      }
      thread.join()
    }
    #expect(count.value.withLockIfAvailable { $0 } == 0)
  }

  @Test func `a lock can guard a noncopyable value`() throws {
    let lock = Lock(FileDescriptor(opening: "/dev/null", 0))
    let file = lock.withLock { $0.take() }
    let isOpen = file != nil
    #expect(isOpen)
    let isTaken = lock.withLock { $0 == nil }
    #expect(isTaken)
  }

  private final class Counter: Sendable {
    let value = Lock(0)
  }
}

@Suite struct MonitorTests {
  @Test func `a change wakes the thread that waits for it`() throws {
    let monitor = Monitor(0)
    let thread = try SystemThread {
      for _ in 0..<3 {
        monitor.withLock { $0 += 1 }
        monitor.wakeOne()
      }
    }
    #expect(monitor.wait { $0 == 3 ? "three" : nil } == "three")
    thread.join()
  }

  @Test func `a change wakes all waiting threads`() throws {
    let (monitor, woken) = (Monitor(false), Monitor(0))
    let threads = try (0..<4).map { _ in
      try SystemThread {
        _ = monitor.wait { $0 ? true : nil }
        woken.withLock { $0 += 1 }
      }
    }
    monitor.withLock { $0 = true }
    monitor.wakeAll()
    for thread in threads { thread.join() }
    #expect(woken.withLock { $0 } == 4)
  }

  @Test func `a wait ends at its deadline`() {
    let monitor = Monitor(0)
    let start = KernelClock.monotonic.milliseconds()
    let answer: Bool? = monitor.wait(until: Deadline(millisecondsFromNow: 30)) { _ in nil }
    #expect(answer == nil)
    #expect(KernelClock.monotonic.milliseconds() - start >= 30)
  }

  @Test func `a wait whose deadline has passed still checks once`() {
    #expect(Monitor(7).wait(until: Deadline(millisecondsFromNow: -5)) { $0 } == 7)
  }
}

@Suite struct TimedLockTests {
  private enum Refusal: Error { case late }

  @Test func `a lock that is held past the deadline throws the caller's error`() throws {
    let (lock, isHeld, isDone) = (TimedLock(), Monitor(false), Monitor(false))
    let thread = try SystemThread {
      lock.withLock {
        isHeld.withLock { $0 = true }
        isHeld.wakeAll()
        _ = isDone.wait { $0 ? true : nil }
      }
    }
    _ = isHeld.wait { $0 ? true : nil }
    #expect(throws: Refusal.late) {
      try lock.withLock(until: Deadline(millisecondsFromNow: 20), orThrow: Refusal.late) { () throws(Refusal) in }
    }
    isDone.withLock { $0 = true }
    isDone.wakeAll()
    thread.join()
    #expect(throws: Never.self) {
      try lock.withLock(until: Deadline(millisecondsFromNow: 0), orThrow: Refusal.late) { () throws(Refusal) in }
    }
  }
}
