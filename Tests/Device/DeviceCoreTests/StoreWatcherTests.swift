import Glibc
import LocalStore
import Model
import ProgramTesting
import Testing

@testable import DeviceCore

/// Whenever root opens a store, even to read it, SQLite sets the owner of the log, which is an attribute of a file in
/// the folder.
@Suite struct `Watching a store` {
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

  @Test func `a watch for pokes alone ignores other files in the folder`() throws {
    let everything = try watcher()
    let watcher = try watcher(.pokes)
    let file = try #require(fopen(store.home.path + "/file", "w"))
    #expect(fputs("text", file) >= 0 && fclose(file) == 0)
    #expect(everything.wait(milliseconds: 0) == .changed)
    #expect(watcher.wait(milliseconds: 0) == .timeout)
    store.home.poke()
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
