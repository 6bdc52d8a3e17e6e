import ChildPrograms
import Glibc
import LocalStore
import Model
import ProgramTesting
import Testing

@testable import DeviceCore

/// Whenever root opens a store, even to read it, SQLite sets the owner of the log, which is an attribute of a file in
/// the folder.
@Suite(.blocking) struct `Watching a store` {
  private let device: TestDevice
  private let store: LocalStore

  init() throws {
    device = try TestDevice()
    try device.signInLocally(endpoint: "http://127.0.0.1:1")
    store = try device.openStore()
  }

  private func watcher(_ interest: StoreWatcher.Interest = .changesAndPokes) throws -> StoreWatcher {
    try #require(StoreWatcher(store.home, for: interest))
  }

  private func changes() throws {
    _ = try store.activateAlert(AlertDraft(), at: DeviceClock.now())
  }

  @Test(arguments: [StoreWatcher.Interest.changesAndPokes, .pokes])
  func `reading it without writing a byte wakes nobody`(interest: StoreWatcher.Interest) throws {
    try changes()
    let watcher = try watcher(interest)
    let access = try EmergencyAccess.read(store.home, at: DeviceClock.now()) { (1, 1) }
    #expect(access?.active.count == 1)
    #expect(watcher.wait(milliseconds: 0) == .timeout)
    // Changes an attribute of the log, as SQLite does for root.
    #expect(chmod(store.home.databasePath + "-wal", 0o600) == 0)
    #expect(watcher.wait(milliseconds: 0) == .timeout)
  }

  @Test func `a change and a poke wake it, once each`() throws {
    let watcher = try watcher()
    try changes()
    #expect(watcher.wait(milliseconds: nil) == .changed)
    watcher.takeChanges()
    #expect(watcher.wait(milliseconds: 0) == .timeout)
    store.home.poke()
    #expect(watcher.wait(milliseconds: nil) == .changed)
    watcher.interrupt()
    #expect(watcher.wait(milliseconds: nil) == .interrupted)
  }

  @Test func `a watch for pokes alone ignores changes`() throws {
    let everything = try watcher()
    let watcher = try watcher(.pokes)
    try store.home.write("text", to: HomeDirectory.configurationName)
    #expect(everything.wait(milliseconds: 0) == .changed)
    #expect(watcher.wait(milliseconds: 0) == .timeout)
    store.home.poke()
    #expect(watcher.wait(milliseconds: nil) == .changed)
  }

  /// The log's bytes change before others see the commit. What the sender committed is seen when it stamps, before it waits again.
  @Test func `a stamp of the lease's holder wakes all but who waits for pokes`() throws {
    let lease = try #require(try SenderLease.acquire(store.home))
    let (forChanges, forPokes, watcher) = try (watcher(), watcher(.pokes), watcher(.stamps))
    lease.stamp(atMonotonicMilliseconds: 7)
    #expect(forChanges.wait(milliseconds: 0) == .changed)
    #expect(forPokes.wait(milliseconds: 0) == .timeout)
    #expect(watcher.wait(milliseconds: 0) == .changed)
    store.home.askForStamp()
    #expect(watcher.wait(milliseconds: 0) == .timeout, "a question is no sign of life")
  }

  @Test func `other files in the folder wake nobody`() throws {
    let watcher = try watcher()
    try store.home.write("text", to: "file")
    #expect(watcher.wait(milliseconds: 0) == .timeout)
  }

  /// SQLite removes the log when the last connection closes, and makes another for the next.
  @Test func `a log that was removed and made again is watched`() throws {
    let watcher = try watcher()
    store.close()
    watcher.takeChanges()
    let store = try device.openStore()
    _ = try store.activateAlert(AlertDraft(), at: DeviceClock.now())
    #expect(watcher.wait(milliseconds: nil) == .changed)
    watcher.takeChanges()
    _ = try store.activateAlert(AlertDraft(message: "again"), at: DeviceClock.now())
    #expect(watcher.wait(milliseconds: nil) == .changed)
  }

  @Test func `ignored events do not extend a wait`() throws {
    let watcher = try watcher(.pokes)
    let start = DeviceClock.monotonicMilliseconds()
    #expect(chmod(store.home.databasePath + "-wal", 0o600) == 0)
    #expect(watcher.wait(milliseconds: 50) == .timeout)
    #expect(DeviceClock.monotonicMilliseconds() - start < 20_000)
  }
}

extension HomeDirectory {
  fileprivate func write(_ text: String, to name: String) throws {
    let file = try #require(fopen(path + "/" + name, "w"))
    #expect(fputs(text, file) >= 0 && fclose(file) == 0)
  }
}
