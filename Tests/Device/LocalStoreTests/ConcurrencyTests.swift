import Glibc
import LocalStore
import Model
import Testing

@Suite struct `Several stores on one folder` {
  let device: Device

  init() throws {
    device = Device()
  }

  @Test func `write at the same time, and none sees the file as busy`() async throws {
    try device.open().close()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        group.addTask { [device] in
          let store = try device.open { $0.checkpointPages = 40 }
          for number in 0..<25 {
            _ = try store.putContact(nil, .named("Contact \(worker)-\(number)"), at: device.now)
            _ = try store.contacts()
          }
        }
      }
      try await group.waitForAll()
    }
    let store = try device.open()
    #expect(try store.contacts().count == 100)
    #expect(try store.pendingCount() == 100)
    #expect(try store.check() == [])
  }

  @Test func `raise one alert between them`() async throws {
    try device.open().close()
    let activations = try await withThrowingTaskGroup(of: Activation.self) { group in
      for _ in 0..<6 {
        group.addTask { [device] in try device.open().activateAlert(AlertDraft(), at: device.now) }
      }
      var activations: [Activation] = []
      for try await activation in group { activations.append(activation) }
      return activations
    }
    #expect(activations.filter { !$0.alreadyActive }.count == 1)
    #expect(Set(activations.map(\.alert.id)).count == 1)
  }

  @Test func `give up on a lock that another one holds, and spool`() throws {
    let store = try device.open { $0.lockTimeoutMilliseconds = 50 }
    let descriptor = open(device.home.storeLockPath, O_RDWR)
    flock(descriptor, LOCK_EX)
    let error = #expect(throws: LocalStoreError.self) { try store.putContact(nil, .named("Ana"), at: device.now) }
    #expect(error?.code == .busy)
    #expect(try store.contacts().isEmpty)
    let spooled = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(spooled.isSpooled)
    close(descriptor)
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    #expect(try device.open().status().alert == spooled.alert)
  }

  @Test func `wait for a lock that is released`() async throws {
    let store = try device.open()
    let descriptor = open(device.home.storeLockPath, O_RDWR)
    flock(descriptor, LOCK_EX)
    async let put = store.putContact(nil, .named("Ana"), at: device.now)
    close(descriptor)
    _ = try await put
    #expect(try store.contacts().count == 1)
  }

  @Test func `keep the log within its limit`() throws {
    let store = try device.open { $0.checkpointPages = 50 }
    for number in 0..<300 { _ = try store.putContact(nil, .named("Contact \(number)"), at: device.now) }
    var status = stat()
    #expect(stat(device.home.databasePath + "-wal", &status) == 0)
    #expect(status.st_size < 100 * 4200)
  }
}
