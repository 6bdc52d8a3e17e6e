import Dispatch
import Glibc
import LocalStore
import Model
import SystemKit
import TestSupport
import Testing

/// Another process hangs in the middle of a transaction and holds the store's lock for an unknown time.
@Suite struct `While another process keeps the store's lock` {
  let device: Device

  init() throws {
    device = Device()
  }

  @Test func `raising an alert has its own timeout for all waits together, and goes to the spool`() throws {
    let store = try device.open {
      $0.lockTimeoutMilliseconds = 60_000
      $0.activationTimeoutMilliseconds = 300
    }
    let lock = HeldLock(device.home.storeLockPath)
    var reasons: [LocalStoreError] = []
    let clock = ContinuousClock()
    let elapsed = try clock.measure {
      for _ in 1...3 {
        let activation = try store.activateAlert(AlertDraft(), at: device.now, noteSpooling: { reasons.append($0) })
        #expect(activation.isSpooled)
      }
    }
    #expect(
      elapsed < .seconds(3), "importing the spool, which is not empty from the second press on, must not add a wait")
    #expect(reasons.map(\.code) == [.busy, .busy, .busy])
    lock.release()
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.status().alert?.isActive == true)
  }

  @Test func `all presses become one alert with the newest message, each once`() throws {
    let store = try device.open { $0.activationTimeoutMilliseconds = 50 }
    let lock = HeldLock(device.home.storeLockPath)
    for message in ["first", "second", "third"] {
      #expect(try store.activateAlert(AlertDraft(message: message), at: device.now).isSpooled)
    }
    lock.release()
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.history(limit: 10, before: nil).entries.count == 1)
    #expect(try store.status().newestUpdate?.message?.hasPrefix("third") == true)
    #expect(listFolder(device.home.spoolPath).isEmpty)
  }

  @Test func `opening and reading the store waits no longer than raising an alert`() throws {
    try device.open().close()
    _ = try Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
    let lock = HeldLock(device.home.storeLockPath)
    let elapsed = try ContinuousClock().measure {
      let store = try device.open {
        $0.lockTimeoutMilliseconds = 60_000
        $0.activationTimeoutMilliseconds = 300
      }
      #expect(store.report.spoolError != nil)
      #expect(try store.status().alert?.isActive == true, "a spooled alert is shown")
    }
    #expect(elapsed < .seconds(3))
    lock.release()
  }

  @Test func `retries add no thread and no descriptor`() throws {
    let stores = try (0..<3).map { _ in try device.open { $0.lockTimeoutMilliseconds = 5 } }
    let lock = HeldLock(device.home.storeLockPath)
    func tryAll() throws {
      for store in stores {
        #expect(throws: LocalStoreError.self) { try store.putContact(nil, .named("Ana"), at: device.now) }
      }
      // This store is opened and released each time, like that of a client that retries.
      let other = try device.open { $0.lockTimeoutMilliseconds = 5 }
      #expect(throws: LocalStoreError.self) { try other.putContact(nil, .named("Ana"), at: device.now) }
    }
    try tryAll()
    let threads = lock.waitingThreads
    let descriptors = lock.openDescriptors
    #expect(threads == 1)
    for _ in 1...20 { try tryAll() }
    #expect(lock.waitingThreads == threads)
    #expect(lock.openDescriptors <= descriptors)
    lock.release()
    #expect(throws: Never.self) { try device.open().putContact(nil, .named("Ana"), at: device.now) }
  }

  @Test func `a reader does not wait behind another thread that waits for the lock`() throws {
    let store = try device.open { $0.lockTimeoutMilliseconds = 60_000 }
    let lock = HeldLock(device.home.storeLockPath)
    let done = try inBackground { [device] in _ = try store.putContact(nil, .named("Ana"), at: device.now) }
    try lock.waitForWaitingThread()
    let elapsed = try ContinuousClock().measure { _ = try store.status() }
    #expect(elapsed < .seconds(20))
    lock.release()
    try #require(
      done.wait(timeout: .now() + Self.timeout) == .success, "the write did not end after the lock was released")
    #expect(try store.contacts().count == 1)
  }

  @Test func `all waiters get the lock in turn`() throws {
    let stores = try (0..<4).map { _ in try device.open { $0.lockTimeoutMilliseconds = 60_000 } }
    let lock = HeldLock(device.home.storeLockPath)
    let done = try stores.enumerated().map { number, store in
      try inBackground { [device] in _ = try store.putContact(nil, .named("Contact \(number)"), at: device.now) }
    }
    try lock.waitForWaitingThread()
    lock.release()
    for end in done {
      try #require(
        end.wait(timeout: .now() + Self.timeout) == .success, "a write did not end after the lock was released")
    }
    #expect(try stores[0].contacts().count == 4)
  }

  /// The timeout on a busy machine for something that takes almost no time.
  fileprivate static let timeout = DispatchTimeInterval.seconds(60)

  /// Runs `body` on a thread of its own, since those of other tests may all be taken, and returns a semaphore that is signaled at its end.
  private func inBackground(_ body: @escaping @Sendable () throws -> Void) throws -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    try SystemThread.detach {
      #expect(throws: Never.self) { try body() }
      done.signal()
    }
    return done
  }
}

/// The store's lock, held as by another process, and this process's threads that wait for it.
private struct HeldLock {
  let path: String
  let descriptor: Int32

  init(_ path: String) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
  }

  func release() { close(descriptor) }

  /// Returns when a thread of this process waits for the lock. Throws if there is none before the timeout.
  func waitForWaitingThread() throws {
    let deadline = DispatchTime.now() + `While another process keeps the store's lock`.timeout
    while waitingThreads == 0 {
      try #require(DispatchTime.now() < deadline, "no thread waits for the lock")
      sched_yield()
    }
  }

  /// The number of this process's threads that wait for this lock.
  var waitingThreads: Int {
    var status = stat()
    stat(path, &status)
    let name = "flock \(status.st_ino % 1_000_000_000)\n"
    return listFolder("/proc/self/task").count { comm("/proc/self/task/\($0)/comm") == name }
  }

  /// The thread's name; empty if the thread has ended meanwhile.
  private func comm(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// The number of this process's descriptors of the lock's file.
  var openDescriptors: Int {
    listFolder("/proc/self/fd").count { name in
      var target = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/fd/\(name)", &target, target.count - 1)
      return length > 0 && String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
    }
  }
}
