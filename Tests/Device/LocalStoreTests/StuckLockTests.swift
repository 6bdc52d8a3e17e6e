import Dispatch
import Glibc
import LocalStore
import Model
import TestSupport
import Testing

/// Another process stands still in the middle of a transaction: it keeps the store's lock, and nobody knows for how long.
@Suite struct `While another process keeps the store's lock` {
  let device: Device

  init() throws {
    device = Device()
  }

  @Test func `raising an alert takes its own timeout, all waits together, and goes to the spool`() throws {
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
    #expect(elapsed < .seconds(3), "the spool, which is not empty from the second on, must not be waited for as well")
    #expect(reasons.map(\.code) == [.busy, .busy, .busy])
    lock.release()
    #expect(store.takeInSpool(at: device.now))
    #expect(try store.status().alert?.isActive == true)
  }

  @Test func `all presses become one alert with the newest words, each once`() throws {
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

  @Test func `opening the store and looking at it waits no longer than raising an alert`() throws {
    try device.open().close()
    _ = try Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
    let lock = HeldLock(device.home.storeLockPath)
    let elapsed = try ContinuousClock().measure {
      let store = try device.open {
        $0.lockTimeoutMilliseconds = 60_000
        $0.activationTimeoutMilliseconds = 300
      }
      #expect(store.report.spoolError != nil)
      #expect(try store.status().alert?.isActive == true, "it lies in the spool, and is shown")
    }
    #expect(elapsed < .seconds(3))
    lock.release()
  }

  @Test func `no thread and no descriptor is added by those who come back to it`() throws {
    let stores = try (0..<3).map { _ in try device.open { $0.lockTimeoutMilliseconds = 5 } }
    let lock = HeldLock(device.home.storeLockPath)
    func tryAll() throws {
      for store in stores {
        #expect(throws: LocalStoreError.self) { try store.putContact(nil, .named("Ana"), at: device.now) }
      }
      // One that comes and goes, as a client does whose store cannot be opened.
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

  @Test func `whoever reads does not wait behind one who waits for it in the same program`() throws {
    let store = try device.open { $0.lockTimeoutMilliseconds = 60_000 }
    let lock = HeldLock(device.home.storeLockPath)
    let done = inBackground { [device] in _ = try store.putContact(nil, .named("Ana"), at: device.now) }
    while lock.waitingThreads == 0 { sched_yield() }
    let elapsed = try ContinuousClock().measure { _ = try store.status() }
    #expect(elapsed < .seconds(20))
    lock.release()
    done.wait()
    #expect(try store.contacts().count == 1)
  }

  @Test func `all who wait for it get it one after the other`() throws {
    let stores = try (0..<4).map { _ in try device.open { $0.lockTimeoutMilliseconds = 60_000 } }
    let lock = HeldLock(device.home.storeLockPath)
    let done = stores.enumerated().map { number, store in
      inBackground { [device] in _ = try store.putContact(nil, .named("Contact \(number)"), at: device.now) }
    }
    while lock.waitingThreads == 0 { sched_yield() }
    lock.release()
    for end in done { end.wait() }
    #expect(try stores[0].contacts().count == 4)
  }

  /// On a thread of its own: the tests' own threads are few.
  private func inBackground(_ body: @escaping @Sendable () throws -> Void) -> DispatchSemaphore {
    let done = DispatchSemaphore(value: 0)
    DispatchQueue.global().async {
      #expect(throws: Never.self) { try body() }
      done.signal()
    }
    return done
  }
}

/// The lock as another process holds it, and who waits for it here.
private struct HeldLock {
  let path: String
  let descriptor: Int32

  init(_ path: String) {
    self.path = path
    descriptor = open(path, O_RDWR | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
  }

  func release() { close(descriptor) }

  /// Of this process, those that wait for this lock.
  var waitingThreads: Int {
    var status = stat()
    stat(path, &status)
    let name = "flock \(status.st_ino % 1_000_000_000)\n"
    return listFolder("/proc/self/task").count { comm("/proc/self/task/\($0)/comm") == name }
  }

  /// Of a thread that has ended meanwhile, nothing.
  private func comm(_ path: String) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// Of this process, those that have the lock's file open.
  var openDescriptors: Int {
    listFolder("/proc/self/fd").count { name in
      var target = [CChar](repeating: 0, count: 4096)
      let length = readlink("/proc/self/fd/\(name)", &target, target.count - 1)
      return length > 0 && String(decoding: target[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self) == path
    }
  }
}
