import Glibc
import LocalStore
import Testing

@Suite struct `The write-ahead log` {
  let device: Device

  init() throws {
    device = Device()
  }

  /// Each opener reads the log anew, as a process of its own does.
  @Test func `does not grow from one short command to the next`() throws {
    for _ in 0..<100 {
      let store = try device.open()
      _ = try store.activateAlert(AlertDraft(), at: device.now)
      _ = try store.deactivateAlerts(at: device.now)
      store.close()
    }
    var status = stat()
    #expect(stat(device.home.databasePath + "-wal", &status) == 0)
    // 128 pages may lie in it when nobody is at work, and those of one command more.
    #expect(status.st_size < 160 * 4200)
  }
}
