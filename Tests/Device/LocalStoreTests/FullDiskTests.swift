import Glibc
import Model
import Testing

@testable import LocalStore

/// A filesystem in memory with room for a megabyte. It needs the right to mount; without it the tests are skipped.
private final class SmallDisk {
  let path: String

  init?() {
    var template = Array("/tmp/lifesignal-disk-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { return nil }
    path = String(cString: made)
    guard mount("tmpfs", path, "tmpfs", 0, "size=1m") == 0 else {
      rmdir(path)
      return nil
    }
  }

  deinit {
    umount2(path, Int32(MNT_DETACH))
    rmdir(path)
  }

  /// Leaves so many bytes.
  func fill(butFor left: Int64 = 0) {
    let descriptor = open(path + "/filler", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    defer { close(descriptor) }
    let bytes = [UInt8](repeating: 1, count: 4096)
    while write(descriptor, bytes, bytes.count) > 0 {}
    guard left > 0 else { return }
    ftruncate(descriptor, lseek(descriptor, 0, SEEK_END) - Int(left))
  }
}

@Suite(.enabled(if: SmallDisk() != nil, "nobody here may mount a filesystem")) struct `A disk that is full` {
  private let moment = Moment(wall: Timestamp(milliseconds: 1_800_000_000_000), monotonicMilliseconds: 1000)

  @Test func `takes an alert into the room that was kept for it`() throws {
    let disk = try #require(SmallDisk())
    let home = HomeDirectory(path: disk.path + "/home")
    let store = try LocalStore.open(home, at: moment)
    #expect(try FileSystem.status(home.reservePath)?.byteCount == SpaceReserve.byteCount)
    disk.fill()
    let raised = try store.activateAlert(AlertDraft(message: String(repeating: "x", count: 1000)), at: moment)
    #expect(raised.isSpooled)
    #expect(try store.status().alert == raised.alert)
    #expect(!FileSystem.exists(home.reservePath))
  }

  @Test func `and has room for one file has it stand for a second call, though no store could be made`() throws {
    let disk = try #require(SmallDisk())
    let home = HomeDirectory(path: disk.path + "/home")
    disk.fill(butFor: 4096)
    #expect(throws: LocalStoreError.self) { try LocalStore.open(home, at: moment) }
    #expect(try FileSystem.status(home.databasePath)?.byteCount == 0)
    let random = StoreOptions.live.random
    let first = try Spool.activate(AlertDraft(), home: home, options: StoreOptions(random: random), at: moment)
    #expect(!first.alreadyActive)
    let second = try Spool.activate(
      AlertDraft(message: "again"), home: home, options: StoreOptions(random: random), at: moment)
    #expect(second.alreadyActive && second.alert == first.alert)
  }

  @Test func `does not say that nothing is active where an alert in the spool cannot be taken in and ended`() throws {
    let disk = try #require(SmallDisk())
    let store = try LocalStore.open(HomeDirectory(path: disk.path + "/home"), at: moment)
    disk.fill()
    let raised = try store.activateAlert(AlertDraft(), at: moment)
    try #require(raised.isSpooled)
    disk.fill()
    let error = #expect(throws: LocalStoreError.self) { try store.deactivateAlerts(at: moment) }
    #expect(error?.code == .diskFull)
    #expect(try store.status().alert?.isActive == true)
    unlink(disk.path + "/filler")
    #expect(try store.deactivateAlerts(at: moment).map(\.id) == [raised.alert.id])
    #expect(try store.status().alert?.isActive == false)
  }

  @Test func `has its room again when there is some, and its alert in the store`() throws {
    let disk = try #require(SmallDisk())
    let home = HomeDirectory(path: disk.path + "/home")
    var store = try LocalStore.open(home, at: moment)
    disk.fill()
    let raised = try store.activateAlert(AlertDraft(), at: moment)
    store.close()
    unlink(disk.path + "/filler")
    store = try LocalStore.open(home, at: moment)
    #expect(try store.history(limit: 1, before: nil).entries.map(\.alert.id) == [raised.alert.id])
    #expect(FileSystem.exists(home.reservePath))
  }
}
