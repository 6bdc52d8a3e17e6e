import ChildPrograms
import Foundation
import LocalStore
import Model
import SystemKit
import Testing

@testable import CurlTransport

@Suite(.blocking) struct `The worker` {
  @Test func `another process's work is sent at once after a touch of wake`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let running = try RunningWorker(device.store)
    #expect(script.opened.wait())
    let other = try LocalStore.open(device.home, at: SystemClock.now())
    try Device.addContact("Ben", to: other)
    while script.mutationCount < 1 { try #require(script.exchanged.wait()) }
    // The answer may still be in flight.
    settle(running)
    guard case .done(let report) = try running.stop() else { return #expect(Bool(false), "it did not run") }
    #expect(report.pushed == 1 && report.pending == 0 && report.error == nil)
  }

  @Test(arguments: [1, Int.max])
  func `if the home cannot be watched, another process's work is still sent`(failures: Int) throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let tries = Box(Lock(0))
    var options = SyncWorkerOptions.live
    options.watchHome = { (home) throws(SyncWorkerError) in
      tries.add()
      guard tries.value > failures else { throw SyncWorkerError(.system, "no watch is left") }
      return try HomeWatcher(home)
    }
    let running = try RunningWorker(device.store, options: options)
    running.waitFor(.homeNotWatched(SyncWorkerError(.system, "no watch is left")))
    #expect(script.opened.wait())
    settle(running)
    let other = try LocalStore.open(device.home, at: SystemClock.now())
    try Device.addContact("Ben", to: other)
    while script.mutationCount < 1 { try #require(script.exchanged.wait()) }
    _ = try running.stop()
    #expect(tries.value >= 2)
  }

  @Test func `a touch by another program makes it check for work`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let running = try RunningWorker(device.store)
    #expect(script.opened.wait())
    settle(running)
    let before = running.wakeCount
    try #require(try ChildProgram.run("/usr/bin/touch", [device.home.wakePath]) == .status(0))
    try wait(script) { running.wakeCount != before }
    _ = try running.stop()
  }

  @Test func `idle, with its stream open, it sleeps`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let running = try RunningWorker(device.store)
    #expect(script.opened.wait())
    settle(running)
    let before = running.wakeCount
    let (never, _) = AsyncSignal.make()
    #expect(!never.wait(milliseconds: 2500))
    // Once per connection, after 8 s, libcurl checks whether it is still connecting.
    #expect(running.wakeCount <= before + 1)
    _ = try running.stop()
  }

  @Test func `reading the store from elsewhere does not wake it`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let running = try RunningWorker(device.store)
    #expect(script.opened.wait())
    settle(running)
    let before = running.wakeCount
    let other = try LocalStore.open(device.home, at: SystemClock.now())
    _ = try other.status()
    other.close()
    let (never, _) = AsyncSignal.make()
    #expect(!never.wait(milliseconds: 300))
    #expect(running.wakeCount == before)
    _ = try running.stop()
  }

  @Test func `a change that the server announces is fetched`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let running = try RunningWorker(device.store)
    #expect(script.opened.wait())
    settle(running)
    while script.exchanged.wait(milliseconds: 0) {}
    script.tellChange()
    #expect(script.exchanged.wait())
    _ = try running.stop()
  }

  @Test func `a server that hangs does not keep it from ending`() throws {
    let (asked, asks) = AsyncSignal.make()
    let server = try ScriptedServer { exchange in
      asks.send()
      exchange.waitForPeerToLeave()
      return false
    }
    let device = try Device(endpoint: server.url)
    try device.addContact()
    let running = try RunningWorker(device.store)
    #expect(asked.wait())
    let time = try ContinuousClock().measure { _ = try running.stop() }
    #expect(time < .seconds(1))
    #expect(try SenderLease.acquire(device.home) != nil)
    #expect(try device.store.pendingCount() == 1)
  }

  @Test(arguments: ["file", "signal"])
  func `a new configuration is applied, by the watch or on demand`(way: String) throws {
    let script = SyncScript()
    let device = try Device(endpoint: nil)
    try device.addContact()
    let running = try RunningWorker(device.store)
    running.waitFor(.started)
    settle(running)
    var configuration = try Configuration.load(device.home)
    configuration.endpoint = try script.start().url
    try configuration.save(device.home)
    if way == "signal" { running.worker.reload() }
    running.waitFor(.configurationRead)
    while script.mutationCount < 1 { try #require(script.exchanged.wait()) }
    _ = try running.stop()
  }

  @Test func `a second worker waits for the first, and takes over`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let first = try RunningWorker(device.store)
    first.waitFor(.started)
    let second = try RunningWorker(LocalStore.open(device.home, at: SystemClock.now()))
    second.waitFor(.waitingForLease)
    let (never, _) = AsyncSignal.make()
    // It checks the holder's unsent items once, and then only when something changes.
    #expect(!never.wait(milliseconds: 300))
    let before = second.wakeCount
    #expect(!never.wait(milliseconds: 300))
    #expect(second.wakeCount == before)
    _ = try first.stop()
    second.waitFor(.started)
    #expect(try SenderLease.isHeld(device.home))
    _ = try second.stop()
  }

  @Test func `a waiting worker sends what the lease's holder does not`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let lease = try #require(try SenderLease.acquire(device.home))
    let running = try RunningWorker(device.store)
    running.waitFor(.waitingForLease)
    let other = try LocalStore.open(device.home, at: SystemClock.now())
    for isDrill in [true, false] {
      _ = try other.activateAlert(AlertDraft(isDrill: isDrill), at: SystemClock.now())
      try wait(script) { try other.status().stage == .accepted }
    }
    running.waitFor(.sendingWithoutHolder)
    #expect(script.mutationCount == 2)
    #expect(Set(script.bearers) == ["Bearer key"])
    lease.release()
    running.waitFor(.started)
    _ = try running.stop()
  }

  @Test func `the lease's holder proves that it is alive without sending anything`() throws {
    let script = SyncScript()
    let device = try Device(endpoint: script.start().url)
    let running = try RunningWorker(device.store)
    #expect(script.opened.wait())
    settle(running)
    let exchanges = script.bearers.count
    let before = try #require(SenderStamp.read(device.home))
    #expect(before.processID == getpid())
    #expect(before.age(atMonotonicMilliseconds: SystemClock.now().monotonicMilliseconds) != nil)
    device.home.askForStamp()
    try wait(script) { SenderStamp.read(device.home) != before }
    settle(running)
    #expect(script.bearers.count == exchanges)
    _ = try running.stop()
    // Nothing runs for the holder of this lease.
    let lease = try #require(try SenderLease.acquire(device.home))
    let last = SenderStamp.read(device.home)
    device.home.askForStamp()
    let (never, _) = AsyncSignal.make()
    #expect(!never.wait(milliseconds: 300))
    #expect(SenderStamp.read(device.home) == last)
    lease.release()
  }

  @Test func `a worker that waits can be stopped`() throws {
    let device = try Device(endpoint: "http://127.0.0.1:1")
    let lease = try #require(try SenderLease.acquire(device.home))
    let running = try RunningWorker(device.store)
    running.waitFor(.waitingForLease)
    #expect(try running.stop() == .handedOver)
    lease.release()
  }

  @Test func `a worker that was stopped before it began does nothing`() throws {
    let device = try Device(endpoint: "http://127.0.0.1:1")
    let worker = SyncWorker(store: device.store)
    worker.stop()
    guard case .done = try worker.run() else { return #expect(Bool(false), "it did not end") }
  }

  private static let timeout = Duration.seconds(60)

  /// Waits until `condition` holds; checks it after each exchange and every 10 ms. Throws after a timeout.
  private func wait(_ script: SyncScript, until condition: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + Self.timeout
    while try !condition() {
      try #require(ContinuousClock.now < deadline, "the worker did not do it in time")
      script.exchanged.wait(milliseconds: 10)
    }
  }

  /// Waits until the worker has not woken for 400 ms. Records an issue after a timeout.
  private func settle(_ running: RunningWorker) {
    let (never, _) = AsyncSignal.make()
    let deadline = ContinuousClock.now + Self.timeout
    var before = -1
    while before != running.wakeCount {
      guard ContinuousClock.now < deadline else {
        Issue.record("the worker keeps waking")
        return
      }
      before = running.wakeCount
      never.wait(milliseconds: 400)
    }
  }
}
