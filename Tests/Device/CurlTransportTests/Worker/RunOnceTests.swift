import ChildPrograms
import Glibc
import LocalStore
import Model
import SyncEngine
import SystemKit
import Testing
import Wire

@testable import CurlTransport

@Suite(.blocking) struct `A single run` {
  @Test func `it sends the queue over one connection, and releases everything`() throws {
    let script = SyncScript()
    let server = try script.start()
    let device = try Device(endpoint: server.url)
    try device.addContact("Ana")
    try device.addContact("Ben")
    _ = try device.store.activateAlert(.init(), at: SystemClock.now())
    let outcome = try SyncWorker.runOnce(store: device.store, deadlineMilliseconds: 10_000)
    guard case .done(let report) = outcome else { return #expect(Bool(false), "it did not run") }
    #expect(report.pending == 0 && report.error == nil && report.pushed >= 3)
    #expect(script.mutationCount == 3)
    #expect(server.connectionCount == 1)
    #expect(try SenderLease.acquire(device.home) != nil)
  }

  @Test func `without a server it fails with an error, and keeps the queue`() throws {
    let server = try ScriptedServer { _ in false }
    server.close()
    let device = try Device(endpoint: server.url)
    try device.addContact()
    guard case .done(let report) = try SyncWorker.runOnce(store: device.store, deadlineMilliseconds: 5000) else {
      return #expect(Bool(false), "it did not run")
    }
    #expect(report.pending == 1 && report.error?.kind == .offline)
  }

  @Test func `a server that hangs is abandoned at the deadline`() throws {
    let server = try ScriptedServer { exchange in
      exchange.waitForPeerToLeave()
      return false
    }
    let device = try Device(endpoint: server.url)
    try device.addContact()
    let time = try ContinuousClock().measure {
      _ = try SyncWorker.runOnce(store: device.store, deadlineMilliseconds: 200)
    }
    #expect(time >= .milliseconds(150) && time < .seconds(3))
  }

  @Test func `with a renewed deadline a server that answers all the time is never cut off`() throws {
    let pages = Box(Lock(0))
    let server = try ScriptedServer { exchange in
      usleep(200_000)
      pages.add()
      let page = pages.value
      let removal = Change.contact(ContactID(versionSevenAt: Timestamp(milliseconds: 1), random: (1, 1)), nil)
      let response = SyncResponse(
        results: [], changes: [removal], cursor: "c\(page)", hasMore: page < 8, epoch: "e",
        serverTime: SystemClock.now().wall)
      return exchange.answer(String(decoding: response.json(), as: UTF8.self))
    }
    let device = try Device(endpoint: server.url)
    let outcome = try SyncWorker.runOnce(store: device.store, deadlineMilliseconds: 1000, isRenewed: true)
    guard case .done(let report) = outcome else { return #expect(Bool(false), "it did not run") }
    #expect(report.pulled == 8 && report.error == nil)
  }

  @Test func `if another process has the lease, that process is woken`() throws {
    let device = try Device(endpoint: "http://127.0.0.1:1")
    let lease = try #require(try SenderLease.acquire(device.home))
    let watcher = try HomeWatcher(device.home)
    #expect(try SyncWorker.runOnce(store: device.store, deadlineMilliseconds: 1000) == .handedOver)
    #expect(watcher.drain().contains(.work))
    lease.release()
  }

  /// A stopped process holds the lease and does nothing.
  @Test
  func `if the lease's holder does nothing, only alerts are sent, with the alert key`()
    throws
  {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let lease = try #require(try SenderLease.acquire(device.home))
    try device.addContact("Ana")
    _ = try device.store.activateAlert(AlertDraft(), at: SystemClock.now())
    var outcome: SyncOutcome?
    let time = try ContinuousClock().measure {
      outcome = try SyncWorker.runOnce(store: device.store, deadlineMilliseconds: 20_000)
    }
    #expect(outcome == .handedOver)
    #expect(time >= .seconds(3), "the holder gets three seconds first")
    #expect(script.mutationCount == 1)
    #expect(script.bearers == ["Bearer key"])
    #expect(try device.store.status().stage == .accepted)
    #expect(try device.store.queue().map(\.kind) == ["contact.put"])
    lease.release()
  }

  @Test func `work that was handed over at the last moment is still done`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    try device.addContact("Ana")
    let other = try LocalStore.open(device.home, at: SystemClock.now())
    let home = device.home
    let readings = Box(Lock(0))
    var options = SyncWorkerOptions.live
    // The clock is read once before the lease is acquired, and again when it is released.
    options.now = {
      readings.add()
      if readings.value > 1, (try? SenderLease.acquire(home)) != nil, (try? other.contacts().count) == 1 {
        do { try Device.addContact("Ben", to: other) } catch { Issue.record(error) }
      }
      return SystemClock.now()
    }
    let outcome = try SyncWorker.runOnce(store: device.store, deadlineMilliseconds: 10_000, options: options)
    guard case .done(let report) = outcome else { return #expect(Bool(false), "it did not run") }
    #expect(report.pushed == 2 && report.pending == 0)
    #expect(script.mutationCount == 2)
  }

  @Test func `if the home cannot be watched, it sends what is queued and ends`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    try device.addContact("Ana")
    var options = SyncWorkerOptions.live
    options.watchHome = { (_) throws(SyncWorkerError) in throw SyncWorkerError(.system, "no watch is left") }
    let time = try ContinuousClock().measure {
      _ = try SyncWorker.runOnce(store: device.store, deadlineMilliseconds: 20_000, options: options)
    }
    #expect(script.mutationCount == 1)
    #expect(time < .seconds(10))
  }

  /// Each adds a contact and runs, or hands over to one that runs: nothing may be left unsent.
  @Test func `many at once leave nothing unsent`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let (done, end) = AsyncSignal.make()
    let failures = Failures()
    for _ in 0..<6 {
      let store = try LocalStore.open(device.home, at: SystemClock.now())
      try WorkerThread.start {
        for round in 0..<15 {
          do {
            try Device.addContact("contact \(round)", to: store)
            _ = try SyncWorker.runOnce(store: store, deadlineMilliseconds: 20_000)
          } catch {
            failures.append(error)
          }
        }
        end.send()
      }
    }
    for _ in 0..<6 { #expect(done.wait(milliseconds: 60_000)) }
    #expect(failures.texts.isEmpty, "\(failures.texts)")
    #expect(try device.store.pendingCount() == 0)
    #expect(script.mutationCount == 90)
  }
}

/// The errors that several threads caught, as texts.
private final class Failures: Sendable {
  private let caught = Lock<[String]>([])

  var texts: [String] { caught.withLock { $0 } }

  func append(_ error: any Error) {
    let text = "\(error)"
    caught.withLock { $0.append(text) }
  }
}

/// A counter for several threads.
final class Box: Sendable {
  private let number: Lock<Int>

  init(_ number: consuming Lock<Int>) { self.number = number }

  var value: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}
