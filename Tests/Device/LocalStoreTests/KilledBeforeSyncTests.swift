import LocalStore
import Model
import Simulator
import TestSupport
import Testing

@Suite struct `A process that is killed before its commit was synced` {
  /// The next process sees what it wrote, although that is not on the disk yet.
  @Test func `does not let the next process report an alert as saved that a power cut would lose`() throws {
    var found = 0
    for operation in 0..<30 {
      for seed in 0..<6 as Range<UInt64> {
        let device = Device()
        let disk = FaultDisk(keepsUnsynced: true)
        let first = try device.open { $0.vfs = disk.name }
        disk.kill(0, at: operation)
        _ = try? first.activateAlert(AlertDraft(message: "first"), at: device.now)
        guard disk.isKilled(0) else { continue }
        first.close()
        // A dead process writes no spool.
        removeTree(device.home.spoolPath)
        disk.setProcess(0)
        let second = try device.open { $0.vfs = disk.name }
        let activation = try second.activateAlert(AlertDraft(message: "second"), at: device.now)
        if activation.alreadyActive { found += 1 }
        second.close()
        disk.losePower(seed: seed)
        #expect(try device.open().status().alert == activation.alert, "operation \(operation), seed \(seed)")
      }
    }
    #expect(found > 0)
  }

  @Test func `spools the alert under its own id if the disk then fails`() throws {
    let device = Device()
    let disk = FaultDisk()
    let store = try device.open { $0.vfs = disk.name }
    let first = try store.activateAlert(AlertDraft(message: "first"), at: device.now)
    disk.fail(at: 0, code: DiskFault.writeError, forever: true, applies: false)
    let second = try store.activateAlert(AlertDraft(message: "second"), at: device.now)
    #expect(second.alreadyActive && second.isSpooled)
    #expect(second.alert == first.alert)
    disk.heal()
    store.close()
    let healthy = try device.open()
    #expect(try healthy.history(limit: 5, before: nil).entries.map(\.alert) == [first.alert])
    #expect(try healthy.queue().map(\.kind) == ["alert.activate", "notification.activated", "alert.update"])
    #expect(try healthy.status().newestUpdate?.message == "second")
  }
}
