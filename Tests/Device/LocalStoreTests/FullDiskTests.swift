import Glibc
import Model
import TestSupport
import Testing

@testable import LocalStore

@Suite(.enabled(if: SmallDisk.isPossible, "needs the right to mount")) struct `A full disk` {
  private let moment = Moment(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 1000)

  @Test func `stores an alert in the reserved space`() throws {
    let disk = try #require(SmallDisk(megabytes: 1))
    let home = HomeDirectory(path: disk.path + "/home")
    let store = try LocalStore.open(home, at: moment)
    #expect(try FileSystem.status(home.reservePath)?.byteCount == SpaceReserve.byteCount)
    try disk.fill()
    let raised = try store.activateAlert(AlertDraft(message: String(repeating: "x", count: 1000)), at: moment)
    #expect(raised.isSpooled)
    #expect(try store.status().alert == raised.alert)
    #expect(!FileSystem.exists(home.reservePath))
  }

  @Test func `with room for one file and no store saves the first call, and a second call joins it`() throws {
    let disk = try #require(SmallDisk(megabytes: 1))
    let home = HomeDirectory(path: disk.path + "/home")
    try disk.fill(leaving: 1)
    #expect(throws: LocalStoreError.self) { try LocalStore.open(home, at: moment) }
    #expect(try FileSystem.status(home.databasePath)?.byteCount == 0)
    let random = StoreOptions.live.random
    let first = try Spool.activate(AlertDraft(), home: home, options: StoreOptions(random: random), at: moment)
    #expect(!first.alreadyActive)
    let second = try Spool.activate(
      AlertDraft(message: "again"), home: home, options: StoreOptions(random: random), at: moment)
    #expect(second.alreadyActive && second.alert == first.alert)
  }

  @Test func `does not report "none active" if a spooled alert cannot be imported and ended`() throws {
    let disk = try #require(SmallDisk(megabytes: 1))
    let store = try LocalStore.open(HomeDirectory(path: disk.path + "/home"), at: moment)
    try disk.fill()
    let raised = try store.activateAlert(AlertDraft(), at: moment)
    try #require(raised.isSpooled)
    try disk.fill()
    let error = #expect(throws: LocalStoreError.self) { try store.deactivateAlerts(at: moment) }
    #expect(error?.code == .diskFull)
    #expect(try store.status().alert?.isActive == true)
    try disk.empty()
    #expect(try store.deactivateAlerts(at: moment).map(\.id) == [raised.alert.id])
    #expect(try store.status().alert?.isActive == false)
  }

  @Test func `reserves space again when it has room, and its alert is imported`() throws {
    let disk = try #require(SmallDisk(megabytes: 1))
    let home = HomeDirectory(path: disk.path + "/home")
    var store = try LocalStore.open(home, at: moment)
    try disk.fill()
    let raised = try store.activateAlert(AlertDraft(), at: moment)
    store.close()
    try disk.empty()
    store = try LocalStore.open(home, at: moment)
    #expect(try store.history(limit: 1, before: nil).entries.map(\.alert.id) == [raised.alert.id])
    #expect(FileSystem.exists(home.reservePath))
  }
}
