import Glibc
import LocalStore
import Model
import ProgramTesting
import SystemKit
import Testing

@testable import DeviceCore

@Suite struct `An alert that can be saved nowhere` {
  /// Another process keeps the store locked, and the spool's folder is a file.
  @Test func `is reported with both reasons, whether or not the store is open`() throws {
    let device = try TestDevice()
    let home = HomeDirectory(path: device.home)
    let store = try device.openStore()
    rmdir(home.spoolPath)
    guard FileDescriptor(opening: home.spoolPath, O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600) != nil,
      let lock = FileDescriptor(opening: home.storeLockPath, O_RDWR)
    else { throw SystemError(errno, "prepare the home") }
    try lock.lock()
    defer { lock.unlock(takenBy: getpid()) }
    var options = StoreOptions.live
    options.lockTimeoutMilliseconds = 0
    for opened in [store, nil] {
      let failure = #expect(throws: EmergencyActivation.NotSaved.self) {
        try EmergencyActivation.perform(
          AlertDraft(), home: home, store: opened, options: options, at: DeviceClock.now())
      }
      #expect(failure?.storeError.code == .busy)
      #expect(failure?.spoolError?.message.contains(home.spoolPath) == true)
    }
  }
}
