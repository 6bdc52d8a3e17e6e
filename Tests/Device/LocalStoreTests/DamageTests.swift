import Glibc
import LocalStore
import Model
import TestSupport
import Testing
import Wire

@Suite struct `A damaged store` {
  let device: Device

  init() throws {
    device = Device()
  }

  /// Makes and closes a store with a session, an alert and contacts. Its log is checkpointed into the file.
  private func fill(contacts count: Int = 3) throws -> Alert {
    let store = try device.open { $0.checkpointPages = 1 }
    try store.signIn(.of(1), at: device.now)
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    for number in 0..<count { _ = try store.putContact(nil, .named("Contact \(number)"), at: device.now) }
    store.close()
    return alert
  }

  private func overwrite(_ range: Range<Int>, with byte: UInt8, in path: String) throws {
    var bytes = try #require(readFile(path))
    for index in range where index < bytes.count { bytes[index] = byte }
    writeFile(bytes, path)
  }

  private func replaceInFile(_ old: String, with new: String) throws {
    let bytes = try #require(readFile(device.home.databasePath))
    let changed = bytes.replacing(Array(old.utf8), with: Array(new.utf8))
    try #require(changed != bytes && changed.count == bytes.count)
    writeFile(changed, device.home.databasePath)
  }

  @Test func `whose file is garbage is set aside and replaced`() throws {
    _ = try fill()
    let garbage = [UInt8](repeating: 0x5A, count: 10_000)
    unlink(device.home.databasePath + "-wal")
    writeFile(garbage, device.home.databasePath)
    let store = try device.open()
    let folder = try #require(store.report.setAsidePath)
    let isKept = readFile(folder + "/store.sqlite") == garbage
    #expect(isKept)
    #expect(permissions(folder) == 0o700)
    #expect(try store.check() == [])
    #expect(try store.status().alert == nil)
    #expect(try !store.activateAlert(AlertDraft(), at: device.now).isSpooled)
    #expect(try device.open().report.setAsidePath == nil)
  }

  /// SQLite keeps the schema as text without a checksum, so it does not detect a flipped bit there.
  @Test(arguments: [
    ("created_at", "breated_at"), ("accepted_at", "ackepted_at"),
    ("CHECK (length(id) = 36)", "CHECK (length(id) = 37)"),
    ("CHECK (length(id)", "CHECK (mength(id)"), ("sync_state (\n  key TEXT", "sync_state (\n  iey TEXT"),
  ])
  func `with a flipped bit in its schema loses nothing`(from: String, to: String) throws {
    let alert = try fill()
    try replaceInFile(from, with: to)
    let store = try device.open()
    #expect(try store.status().alert == alert)
    #expect(try store.queue().count > 0)
    #expect(try store.deactivateAlerts(at: device.now).count == 1)
    #expect(try !store.activateAlert(AlertDraft(), at: device.now).isSpooled)
    #expect(try store.check() == [])
    #expect(store.report.setAsidePath == nil)
    #expect(store.report.hasRepairedSchema)
  }

  /// Column names are case-insensitive in SQL and in the store's readers.
  @Test func `with a column's name in another case is read as before`() throws {
    let alert = try fill()
    for (from, to) in [
      ("started_at INTEGER", "Started_at INTEGER"), ("value TEXT", "valUe TEXT"), ("kind TEXT", "kinD TEXT"),
    ] {
      try replaceInFile(from, with: to)
    }
    let store = try device.open()
    #expect(try store.status().alert == alert)
    #expect(try store.queue().count > 0)
    #expect(try store.session() != nil)
    #expect(store.report.setAsidePath == nil)
  }

  @Test func `with a renamed table is set aside`() throws {
    _ = try fill()
    try replaceInFile("pending_mutations", with: "qending_mutations")
    let store = try device.open()
    #expect(try store.queue().count > 0)
    #expect(store.report.setAsidePath != nil)
  }

  @Test func `keeps what is readable when its end is cut off`() throws {
    let alert = try fill(contacts: 300)
    let bytes = try #require(readFile(device.home.databasePath))
    writeFile(Array(bytes[..<(bytes.count / 8192 * 4096)]), device.home.databasePath)
    let store = try device.open()
    // The missing pages are noticed when they are read.
    _ = try store.contacts()
    _ = try store.queue()
    #expect(store.report.setAsidePath != nil)
    let salvaged = try #require(store.report.salvaged)
    #expect(salvaged.alerts == 1)
    #expect(salvaged.contacts > 0)
    #expect(try store.status().alert == alert)
    #expect(try store.status().stage == .saved)
    #expect(try store.queue().contains { $0.kind == "alert.activate" })
    #expect(try store.queue().contains { $0.kind == "notification.activated" })
    #expect(try store.check() == [])
  }

  /// Overwrites the table's first page, which holds all of a small table.
  private func destroy(_ table: String) throws {
    let page: Int? = try device.withConnection { connection in
      try connection.statement("SELECT rootpage FROM sqlite_schema WHERE name = ?").value(.text(table))
    }
    let start = (try #require(page) - 1) * 4096
    unlink(device.home.databasePath + "-wal")
    try overwrite(start..<(start + 4096), with: 0xFF, in: device.home.databasePath)
  }

  @Test func `is repaired by a check before any transaction finds the damage`() throws {
    let alert = try fill()
    try destroy("pending_notifications_parked")
    let store = try device.open()
    #expect(store.report.setAsidePath == nil)
    #expect(try store.check() == [])
    #expect(store.report.setAsidePath != nil)
    #expect(try store.status().alert == alert)
    #expect(try store.queue().count == 5)
  }

  @Test func `requests notifications again when its requests are unreadable`() throws {
    let alert = try fill()
    try destroy("pending_notifications")
    let store = try device.open()
    _ = try store.queue()
    #expect(store.report.salvaged?.incompleteTables == ["pending_notifications"])
    let batch = try store.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.kind) == [.activateAlert])
    #expect(batch.notifications.map(\.alertID) == [alert.id])
    #expect(batch.notifications.map(\.notice) == [.activated])
  }

  /// The server refuses a request for "safe now" of an active alert, and a refused one holds back those behind it.
  @Test func `requests no "safe now" of an alert in which a further call waits`() throws {
    let filled = try fill()
    let store = try device.open { $0.checkpointPages = 1 }
    try store.exchange(.emergency, at: device.now)
    _ = try store.activateAlert(AlertDraft(message: "worse"), at: device.now)
    store.close()
    try destroy("pending_notifications")
    let salvaged = try device.open()
    #expect(try salvaged.queue().filter { $0.lane == .emergency }.map(\.kind) == ["alert.update"])
    #expect(salvaged.report.salvaged != nil)
    #expect(try salvaged.deactivateAlerts(at: device.now).map(\.id) == [filled.id])
    let batch = try salvaged.nextBatch(.all(.emergency))
    #expect(batch.mutations.map(\.kind) == [.updateAlert, .deactivateAlert])
    #expect(batch.notifications.map(\.notice) == [.deactivated])
  }

  @Test func `gives no data of one account to another when the signed-in account is unreadable`() throws {
    _ = try fill()
    try destroy("sync_state")
    let store = try device.open()
    #expect(try store.session() == nil)
    #expect(try store.queue().count == 5)
    let error = #expect(throws: LocalStoreError.self) {
      try store.signIn(.of(2, phone: "+12025550142"), at: device.now)
    }
    #expect(error?.code == .anotherAccount)
    try store.signIn(.of(1), at: device.now)
    #expect(try store.nextBatch(.all(.emergency)).mutations.count == 1)
    #expect(try store.nextBatch(.all(.routine)).mutations.count == 3)
  }

  @Test func `is detected while it is open, and repaired without losing the next alert`() throws {
    _ = try fill(contacts: 300)
    // Every page but the first, so only the schema is readable.
    let size = try #require(readFile(device.home.databasePath)).count
    try overwrite(4096..<size, with: 0xFF, in: device.home.databasePath)
    unlink(device.home.databasePath + "-wal")
    let store = try device.open()
    let activation = try store.activateAlert(AlertDraft(message: "now"), at: device.now)
    #expect(!activation.isSpooled)
    #expect(store.report.setAsidePath != nil)
    #expect(try store.status().alert == activation.alert)
    #expect(try device.open().status().alert == activation.alert)
  }

  @Test func `with bits flipped anywhere never crashes, and still accepts a new alert`() throws {
    _ = try fill(contacts: 40)
    let path = device.home.databasePath
    unlink(path + "-wal")
    let bytes = try #require(readFile(path))
    var random: UInt64 = 42
    var openedCount = 0
    var reopenedCount = 0
    for _ in 0..<60 {
      var flipped = bytes
      for _ in 0..<20 {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        flipped[Int(random >> 33) % flipped.count] ^= UInt8(truncatingIfNeeded: random >> 20) | 1
      }
      unlink(path + "-wal")
      unlink(path + "-shm")
      writeFile(flipped, path)
      let alert: Alert
      if let store = try? device.open() {
        openedCount += 1
        let activation = try store.activateAlert(AlertDraft(isDrill: false), at: device.now)
        alert = activation.alert
        store.close()
      } else {
        alert = try Spool.write(AlertDraft(), home: device.home, random: device.options.random, at: device.now)
      }
      if let again = try? device.open(), let status = try? again.status() {
        reopenedCount += 1
        #expect(status.alert?.isActive == true, "\(alert.id)")
      }
      for name in listFolder(device.home.spoolPath) { unlink("\(device.home.spoolPath)/\(name)") }
    }
    // A store is refused if its damaged version number is that of a newer program.
    #expect(openedCount >= 40)
    #expect(reopenedCount >= 40)
  }

  @Test func `that was emptied is noticed, and its log is kept`() throws {
    let store = try device.open()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    store.close()
    writeFile([], device.home.databasePath)
    let log = try #require(readFile(device.home.databasePath + "-wal"))
    #expect(!log.isEmpty)
    let again = try device.open()
    let folder = try #require(again.report.setAsidePath)
    let isKept = readFile(folder + "/store.sqlite-wal") == log
    #expect(isKept)
  }

  @Test func `that is missing is reported`() throws {
    try device.open().close()
    for suffix in ["", "-wal", "-shm"] { unlink(device.home.databasePath + suffix) }
    #expect(try device.open().report.setAsidePath != nil)
  }

  @Test func `is replaced completely after an interrupted replacement`() throws {
    let alert = try fill()
    // A crash after the new file was complete, before it replaced the old one.
    let other = Device()
    let good = try #require(readFile(device.home.databasePath))
    let old = try other.open()
    _ = try old.putContact(nil, .named("Not salvaged"), at: other.now)
    old.close()
    writeFile(good, other.home.path + "/store.sqlite.replacement")
    let store = try other.open()
    #expect(try store.status().alert == alert)
    #expect(try store.contacts().count == 3)
    #expect(!other.names.contains("store.sqlite.replacement"))
  }

  @Test func `is set aside once by processes that open it at the same time`() async throws {
    _ = try fill()
    unlink(device.home.databasePath + "-wal")
    writeFile([UInt8](repeating: 0x5A, count: 10_000), device.home.databasePath)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<6 {
        group.addTask { [device] in
          let store = try? device.open()
          #expect((try? store?.check()) == [])
        }
      }
    }
    #expect(device.names.filter { $0.hasPrefix("damaged-") }.count == 1)
  }

  @Test func `is noticed by a store that had it open`() throws {
    let open = try device.open()
    _ = try open.putContact(nil, .named("Ana"), at: device.now)
    // Another process sets it aside.
    rename(device.home.databasePath, device.home.path + "/elsewhere")
    for suffix in ["-wal", "-shm"] { unlink(device.home.databasePath + suffix) }
    _ = try device.open()
    let alert = try open.activateAlert(AlertDraft(), at: device.now).alert
    #expect(try device.open().status().alert == alert)
  }
}
