import ChildPrograms
import Foundation
import Glibc
import LocalStore
import Testing

@testable import CurlTransport

@Suite(.blocking) final class `Watching the home` {
  private let home: HomeDirectory

  init() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifesignal-watch-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    home = HomeDirectory(path: folder.path)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: home.path)
  }

  private func write(_ text: String, to path: String) throws {
    try text.write(toFile: path, atomically: false, encoding: .utf8)
  }

  @Test func `a poke is seen, even if it creates the file`() throws {
    let watcher = try HomeWatcher(home)
    #expect(watcher.drain() == [])
    home.poke()
    #expect(watcher.drain() == .work)
    home.poke()
    home.poke()
    #expect(watcher.drain() == .work)
    #expect(watcher.drain() == [])
  }

  @Test func `every write or replacement of the configuration is seen`() throws {
    let watcher = try HomeWatcher(home)
    for _ in 0..<3 {
      try Configuration().save(home)
      #expect(watcher.drain() == .configuration)
    }
    try write("endpoint = https://example.org\n", to: home.configurationPath)
    #expect(watcher.drain() == .configuration)
  }

  @Test func `a file that was removed and recreated is seen`() throws {
    home.poke()
    let watcher = try HomeWatcher(home)
    try FileManager.default.removeItem(atPath: home.wakePath)
    _ = watcher.drain()
    home.poke()
    #expect(watcher.drain() == .work)
    home.poke()
    #expect(watcher.drain() == .work)
  }

  @Test func `other files are ignored`() throws {
    let watcher = try HomeWatcher(home)
    try write("x", to: home.databasePath)
    try write("y", to: home.path + "/wake.tmp")
    #expect(watcher.drain() == [])
  }

  /// Of a process that is killed before its poke.
  @Test func `a commit is seen while it is written`() throws {
    try write("a", to: home.databasePath + "-wal")
    let watcher = try HomeWatcher(home)
    let log = try #require(FileHandle(forUpdatingAtPath: home.databasePath + "-wal"))
    try log.write(contentsOf: Data("b".utf8))
    #expect(watcher.drain() == .write)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home.databasePath + "-wal")
    #expect(watcher.drain() == [])
  }

  @Test func `a file of the spool is seen when it is whole`() throws {
    let watcher = try HomeWatcher(home)
    mkdir(home.spoolPath, 0o700)
    #expect(watcher.drain() == .write)
    for _ in 0..<2 {
      try write("{", to: home.spoolPath + "/a.tmp")
      #expect(watcher.drain() == [])
      rename(home.spoolPath + "/a.tmp", home.spoolPath + "/a.json")
      #expect(watcher.drain() == .write)
    }
    unlink(home.spoolPath + "/a.json")
    #expect(watcher.drain() == [])
  }

  @Test func `a missing folder is an error`() {
    #expect(throws: SyncWorkerError.self) { _ = try HomeWatcher(HomeDirectory(path: "/nonexistent")) }
  }

  @Test func `a timer fires when due, and not after it was cancelled`() throws {
    let timer = try WakeTimer()
    func isDue(after milliseconds: Int32) -> Bool {
      var poll = pollfd(fd: timer.number, events: Int16(POLLIN), revents: 0)
      return Glibc.poll(&poll, 1, milliseconds) == 1
    }
    #expect(!isDue(after: 0))
    try timer.set(millisecondsFromNow: 10)
    #expect(isDue(after: 5000))
    timer.drain()
    #expect(!isDue(after: 0))
    try timer.set(millisecondsFromNow: -5)
    #expect(isDue(after: 5000))
    try timer.set(millisecondsFromNow: 20)
    try timer.set(millisecondsFromNow: nil)
    #expect(!isDue(after: 60))
    try timer.set(millisecondsFromNow: .max)
    #expect(!isDue(after: 0))
  }
}
