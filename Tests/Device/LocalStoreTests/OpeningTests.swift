import Foundation
import LocalStore
import Model
import SQLiteKit
import Schema
import TestSupport
import Testing

@Suite struct `Opening a store` {
  let device: Device

  init() throws {
    device = Device()
  }

  @Test func `makes its folder and its files accessible to the owner only`() throws {
    let home = HomeDirectory(path: device.home.path + "/deep/down")
    let store = try LocalStore.open(home, options: device.options, at: device.now)
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    #expect(permissions(home.path) == 0o700)
    for name in listFolder(home.path) { #expect(permissions("\(home.path)/\(name)") == 0o600, "\(name)") }
    #expect(listFolder(home.path).count == 6)
  }

  @Test func `removes other users' access to its folder, and reports it`() throws {
    try device.open().close()
    chmod(device.home.path, 0o755)
    chmod(device.home.databasePath, 0o644)
    let store = try device.open()
    #expect(store.report.tightenedPermissions)
    #expect(permissions(device.home.path) == 0o700)
    #expect(permissions(device.home.databasePath) == 0o600)
    #expect(try !device.open().report.tightenedPermissions)
  }

  @Test func `refuses a newer program's store, and leaves it unchanged`() throws {
    try device.open().close()
    try device.withConnection { try $0.execute("PRAGMA user_version = 99") }
    let error = #expect(throws: LocalStoreError.self) { try device.open() }
    #expect(error?.code == .newerSchema)
    #expect(!device.names.contains { $0.hasPrefix("damaged-") })
    #expect(try device.withConnection { try $0.statement("PRAGMA user_version").value() as Int? } == 99)
  }

  @Test func `fails where no folder can be made`() throws {
    let error = #expect(throws: LocalStoreError.self) {
      try LocalStore.open(HomeDirectory(path: "/proc/lifesignal"), options: device.options, at: device.now)
    }
    #expect(error?.code == .cannotOpen || error?.code == .readOnly)
  }

  @Test func `keeps the device's id`() throws {
    let id = try device.open().deviceID()
    #expect(try device.open().deviceID() == id)
  }

  @Test func `finishes a store whose creation stopped before the device had an id`() throws {
    try device.open().close()
    try device.withConnection { try $0.execute("DELETE FROM sync_state WHERE key = 'device_id'") }
    truncate(device.home.storeLockPath, 0)
    let store = try device.open()
    let ids = try device.withConnection { connection in
      try connection.statement("SELECT value FROM sync_state WHERE key = 'device_id'").rows { row in
        try row["value", as: String.self]
      }
    }
    #expect(try [store.deviceID().description] == ids)
    #expect(readFile(device.home.storeLockPath) == Array("made\n".utf8))
  }

  @Test func `is refused after it was closed`() throws {
    let store = try device.open()
    store.close()
    let error = #expect(throws: LocalStoreError.self) { try store.status() }
    #expect(error?.code == .cannotOpen)
  }

  /// Released migrations never change: a device that has applied one would be refused. Add a new file instead.
  @Test func `applies the released migrations, unchanged`() {
    let released = ["b9bf071b17b3c0a1", "3cefdf800bcde76b"]
    for (index, checksum) in released.enumerated() {
      let file = lifesignal_schema_client_migration(Int32(index))
      let text = String(
        decoding: UnsafeRawBufferPointer(start: UnsafeRawPointer(file.bytes), count: Int(file.length)), as: UTF8.self)
      #expect(Migration(name: String(cString: file.name), sql: text).checksum == checksum)
    }
  }

  @Test func `finds its folder by option, variable or convention`() throws {
    func path(_ option: String?, _ environment: [String: String]) throws -> String {
      try HomeDirectory.resolve(option: option, environment: environment).path
    }
    let all = ["LIFESIGNAL_HOME": "/l/", "XDG_DATA_HOME": "/x", "HOME": "/h"]
    #expect(try path("/o", all) == "/o")
    #expect(try path(nil, all) == "/l")
    #expect(try path(nil, ["XDG_DATA_HOME": "/x", "HOME": "/h"]) == "/x/lifesignal")
    #expect(try path(nil, ["XDG_DATA_HOME": "x", "HOME": "/h"]) == "/h/.local/share/lifesignal")
    #expect(throws: LocalStoreError.self) { try path(nil, [:]) }
    #expect(throws: LocalStoreError.self) { try path(nil, ["HOME": "relative"]) }
    for home in [[:], ["HOME": "relative"]] {
      let listed = try HomeDirectory.resolve(option: nil, environment: home, userHome: "/u")
      #expect(listed.path == "/u/.local/share/lifesignal")
    }
  }
}

@Suite struct `A sender's lease` {
  @Test func `is held by one process at a time`() throws {
    let device = Device()
    let lease = try #require(try SenderLease.acquire(device.home))
    #expect(try SenderLease.acquire(device.home) == nil)
    lease.release()
    lease.release()
    let second = try SenderLease.acquire(device.home)
    #expect(second != nil)
    withExtendedLifetime(second) {}
  }

  @Test func `can be tested without acquiring it, so that no process is turned away`() throws {
    let device = Device()
    #expect(try !SenderLease.isHeld(device.home))
    let home = device.home
    let thread = Thread { while !Thread.current.isCancelled { _ = try? SenderLease.isHeld(home) } }
    thread.start()
    defer { thread.cancel() }
    for _ in 0..<5000 {
      let lease = try #require(try SenderLease.acquire(home))
      lease.release()
    }
    let lease = try #require(try SenderLease.acquire(device.home))
    #expect(try SenderLease.isHeld(device.home))
    lease.release()
    #expect(try !SenderLease.isHeld(device.home))
  }

  /// A child of this process has it open between fork and exec, or for its whole life without an exec.
  @Test func `is free after its release, even if another process has its file open`() throws {
    let device = Device()
    let lease = try #require(try SenderLease.acquire(device.home))
    let number = try #require(openDescriptor(of: device.home.senderLockPath))
    let inherited = dup(number)
    defer { close(inherited) }
    lease.release()
    #expect(try !SenderLease.isHeld(device.home))
    var second = try SenderLease.acquire(device.home)
    #expect(second != nil)
    let again = try #require(openDescriptor(of: device.home.senderLockPath, besides: inherited))
    let inheritedAgain = dup(again)
    defer { close(inheritedAgain) }
    // The value is destroyed without a call of `release`.
    second = nil
    #expect(try SenderLease.acquire(device.home) != nil)
  }

  @Test func `stays with its holder when a forked child releases its copy`() throws {
    let device = Device()
    let lease = try #require(try SenderLease.acquire(device.home))
    let child = fork()
    if child == 0 {
      lease.release()
      _exit(0)
    }
    var status: Int32 = -1
    #expect(waitpid(child, &status, 0) == child && status == 0)
    #expect(try SenderLease.isHeld(device.home))
    #expect(try SenderLease.acquire(device.home) == nil)
    lease.release()
    #expect(try !SenderLease.isHeld(device.home))
  }

  /// Returns a descriptor of this process that has this file open.
  private func openDescriptor(of path: String, besides other: Int32 = -1) -> Int32? {
    (0..<1024 as Range<Int32>).first { number in
      number != other && (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
    }
  }

  @Test func `turns no process away while its holder does not send`() throws {
    let device = Device()
    let waited = try SenderLease.waitAndAcquire(device.home)
    #expect(try !SenderLease.isHeld(device.home), "no process may leave work to it")
    #expect(try SenderLease.acquire(device.home) == nil, "but it is not free")
    waited.mark()
    #expect(try SenderLease.isHeld(device.home))
    waited.release()
    #expect(try SenderLease.acquire(device.home) != nil)
  }
}
