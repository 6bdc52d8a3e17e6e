import LocalStore
import Model
import Simulator
import Testing

extension DiskFault: CustomTestStringConvertible {
  public var testDescription: String { name }
}

@Suite struct `A failing disk` {
  /// Runs `work` once for each of its disk operations, with that operation failing, and gives `judge` the store on a
  /// healthy disk. Returns the number of operations that failed.
  private func sweep<Result>(
    _ fault: DiskFault, checkpointPages: Int = 1000, prepare: (Device, LocalStore) throws -> Void = { _, _ in },
    work: (Device, LocalStore) throws -> Result,
    judge: (Swift.Result<Result, any Error>, LocalStore, Int) throws -> Void
  ) throws -> Int {
    for operation in 0..<500 {
      let device = Device()
      let disk = FaultDisk()
      let store = try device.open {
        $0.vfs = disk.name
        $0.checkpointPages = checkpointPages
      }
      try prepare(device, store)
      disk.fail(at: operation, code: fault.code, forever: fault.forever, applies: fault.applies)
      let result = Swift.Result { try work(device, store) }
      let wasHit = disk.operations > operation
      disk.heal()
      store.close()
      let healthy = try device.open()
      #expect(healthy.report.setAsidePath == nil, "operation \(operation)")
      #expect(try healthy.check() == [], "operation \(operation)")
      try judge(result, healthy, operation)
      guard wasHit else { return operation }
    }
    Issue.record("the sweep did not end")
    return 0
  }

  @Test(arguments: DiskFault.all)
  func `never loses an alert that was reported as saved, and keeps its rows together`(fault: DiskFault) throws {
    let count = try sweep(fault, checkpointPages: 5) { device, store in
      try store.activateAlert(AlertDraft(message: "help"), at: device.now)
    } judge: { result, store, operation in
      let activation = try result.get()
      #expect(try store.status().alert == activation.alert, "operation \(operation)")
      #expect(
        try store.queue().map(\.kind) == ["alert.activate", "notification.activated"], "operation \(operation)")
      #expect(try store.history(limit: 5, before: nil).entries.count == 1, "operation \(operation)")
    }
    #expect(count > 5)
  }

  @Test(arguments: DiskFault.all)
  func `reports correctly whether a contact was saved`(fault: DiskFault) throws {
    _ = try sweep(fault, checkpointPages: 5) { device, store in
      try store.putContact(nil, .named("Ana"), at: device.now)
    } judge: { result, store, operation in
      let contacts = try store.contacts().map(\.contact)
      let queue = try store.queue().map(\.entityID)
      #expect(contacts.map { EntityID($0.id) } == queue, "operation \(operation)")
      if case .success(let contact) = result { #expect(contacts == [contact], "operation \(operation)") }
    }
  }

  @Test(arguments: DiskFault.all)
  func `neither loses nor misreads an answer`(fault: DiskFault) throws {
    _ = try sweep(
      fault, prepare: { device, store in _ = try store.activateAlert(AlertDraft(), at: device.now) }
    ) { device, store in
      try store.exchange(.emergency, at: device.now)
    } judge: { result, store, operation in
      let pending = try store.pendingCount()
      let status = try store.status()
      #expect(pending == 0 || pending == 2, "operation \(operation)")
      #expect((pending == 0) == (status.stage == .accepted), "operation \(operation)")
      if case .success = result { #expect(pending == 0, "operation \(operation)") }
    }
  }

  @Test func `during one read of the first opening does not count as damage`() throws {
    for read in 0..<500 {
      let device = Device()
      let disk = FaultDisk()
      disk.failRead(at: read)
      let store = try? device.open { $0.vfs = disk.name }
      let isLast = disk.willFailRead
      let reports = try [store?.report, device.open().report]
      #expect(reports.allSatisfy { $0?.setAsidePath == nil }, "read \(read)")
      guard !isLast else { return #expect(read > 3) }
    }
    Issue.record("the sweep did not end")
  }

  @Test func `from the start creates no store, and the alert is spooled`() throws {
    for operation in 0..<500 {
      let device = Device()
      let disk = FaultDisk()
      disk.fail(at: operation, code: DiskFault.writeError, forever: true, applies: false)
      let store = try? device.open { $0.vfs = disk.name }
      let alert =
        try store?.activateAlert(AlertDraft(), at: device.now).alert
        ?? Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
      let wasHit = disk.operations > operation
      store?.close()
      #expect(try device.open().status().alert == alert, "operation \(operation)")
      guard wasHit else { return }
    }
    Issue.record("the sweep did not end")
  }
}
