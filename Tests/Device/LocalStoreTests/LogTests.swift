import Glibc
import LocalStore
import Testing

@Suite struct `The write-ahead log` {
  let device: Device

  init() throws {
    device = Device()
  }

  /// Each opening rereads the log, as a new process does.
  @Test func `does not grow from one short command to the next`() throws {
    for _ in 0..<100 {
      let store = try device.open()
      _ = try store.activateAlert(AlertDraft(), at: device.now)
      _ = try store.deactivateAlerts(at: device.now)
      store.close()
    }
    var status = stat()
    #expect(stat(device.home.databasePath + "-wal", &status) == 0)
    // The log may hold 128 pages at rest, plus the pages of one command.
    #expect(status.st_size < 160 * 4200)
  }
}
