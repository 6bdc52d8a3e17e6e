import Glibc
import Model
import SystemKit
import TestSupport
import Testing

@testable import LocalStore

/// A damaged store is set aside and replaced by one with its readable data. The process may die at any step, on a file
/// system with or without hard links.
@Suite struct `Setting a damaged store aside` {
  let device = Device()

  /// Makes a store with an unsent alert and an unreadable table of contacts.
  private func makeDamagedStore() throws -> Alert {
    let store = try device.open { $0.checkpointPages = 1 }
    try store.signIn(.of(1), at: device.now)
    let alert = try store.activateAlert(AlertDraft(message: "help"), at: device.now).alert
    _ = try store.putContact(nil, .named("Ana"), at: device.now)
    store.close()
    let rootPage = try device.withConnection { connection in
      try connection.statement("SELECT rootpage FROM sqlite_schema WHERE name = 'contacts'").value(as: Int.self)
    }
    unlink(device.home.logPath)
    var bytes = try #require(readFile(device.home.databasePath))
    let start = (try #require(rootPage) - 1) * 4096
    for index in start..<(start + 4096) { bytes[index] = 0xFF }
    writeFile(bytes, device.home.databasePath)
    return alert
  }

  /// Opens the store and reads all of it, so that the damage is found. The process dies at `lastStep`.
  ///
  /// - Returns: the number of steps that were done.
  private func open(hasLinks: Bool, dyingAtStep lastStep: Int = .max) throws -> Int {
    let steps = Lock(0)
    let store = try device.open { options in
      options.fileSystemHasLinks = hasLinks
      options.willChangeStoreFile = { _ throws(LocalStoreError) in
        let step = steps.withLock { count in
          count += 1
          return count
        }
        guard step < lastStep else { throw LocalStoreError(.internalError, "killed") }
      }
    }
    _ = try store.contacts()
    _ = try store.queue()
    return steps.withLock { $0 }
  }

  private func requireNothingLost(_ alert: Alert) throws {
    let store = try device.open()
    #expect(try store.status().alert == alert)
    #expect(try store.session() != nil)
    #expect(try store.queue().contains { $0.kind == "alert.activate" })
    #expect(try store.check() == [])
  }

  @Test(arguments: [true, false])
  func `keeps the damaged files, and everything that can be read of them`(hasLinks: Bool) throws {
    let alert = try makeDamagedStore()
    let damaged = try #require(readFile(device.home.databasePath))
    _ = try open(hasLinks: hasLinks)
    try requireNothingLost(alert)
    #expect(device.home.setAsideStores.count == 1)
    let isKept = readFile(try #require(device.home.setAsideStores.first) + "/store.sqlite") == damaged
    #expect(isKept)
  }

  @Test(arguments: [true, false])
  func `loses nothing when the process dies at any step`(hasLinks: Bool) throws {
    let alert = try makeDamagedStore()
    let damaged = try #require(readFile(device.home.databasePath))
    var step = 1
    while (try? open(hasLinks: hasLinks, dyingAtStep: step)) == nil {
      // The next process finds what this one left, and dies one step later.
      step += 1
      try #require(step < 100)
    }
    #expect(step > 5)
    try requireNothingLost(alert)
    let isKept = device.home.setAsideStores.contains { readFile($0 + "/store.sqlite") == damaged }
    #expect(isKept)
  }

  @Test(arguments: [true, false])
  func `is finished by the next process, whatever step the last one died at`(hasLinks: Bool) throws {
    var step = 1
    while true {
      let other = `Setting a damaged store aside`()
      let alert = try other.makeDamagedStore()
      let damaged = try #require(readFile(other.device.home.databasePath))
      if (try? other.open(hasLinks: hasLinks, dyingAtStep: step)) != nil { break }
      _ = try other.open(hasLinks: hasLinks)
      try other.requireNothingLost(alert)
      let isKept = other.device.home.setAsideStores.contains { readFile($0 + "/store.sqlite") == damaged }
      #expect(isKept, "step \(step)")
      step += 1
      try #require(step < 100)
    }
    #expect(step > 5)
  }

  @Test(arguments: [true, false])
  func `keeps a log without a database file`(hasLinks: Bool) throws {
    let store = try device.open()
    _ = try store.activateAlert(AlertDraft(), at: device.now)
    let log = try #require(readFile(device.home.logPath))
    unlink(device.home.databasePath)
    _ = try open(hasLinks: hasLinks)
    let isKept = device.home.setAsideStores.contains { readFile($0 + "/store.sqlite-wal") == log }
    #expect(isKept)
    #expect(try device.open().check() == [])
  }
}
