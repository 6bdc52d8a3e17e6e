import Foundation
import Glibc
import Model
import Secrets
import ServerStoreSQLite
import TestSupport
import Testing

@testable import ServerCore

@Suite struct `The embedded store` {
  @Test func `its files are for its owner alone`() throws {
    let server = try AlertsServer()
    let device = try server.signIn("+12025550123")
    _ = try device.raise()
    let names = try FileManager.default.contentsOfDirectory(atPath: server.folder).sorted()
    #expect(names == ["server.sqlite", "server.sqlite-lock", "server.sqlite-shm", "server.sqlite-wal"])
    for name in names {
      var status = stat()
      #expect(stat(server.folder + "/" + name, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o600, "\(name)")
    }
  }

  @Test func `its secret is made once and stays`() throws {
    let server = try AlertsServer()
    let first = try ServerKeys.load(from: server.store, at: server.moment())
    try server.restore(try server.copyOfFiles())
    let again = try ServerKeys.load(from: server.store, at: server.moment())
    #expect(first.secret.bytes == again.secret.bytes)
    let other = try AlertsServer()
    _ = other.moment()
    #expect(try ServerKeys.load(from: other.store, at: other.moment()).secret.bytes != first.secret.bytes)
  }

  @Test func `a failed transaction is rolled back, and a read cannot write`() throws {
    struct Stop: Error {}
    let server = try AlertsServer()
    #expect(throws: Stop.self) {
      try server.store.write { transaction in
        try transaction.setServerState("x", to: [1])
        throw Stop()
      }
    }
    #expect(try server.store.read { try $0.serverState("x") } == nil)
    try server.store.write { try $0.setServerState("x", to: [2]) }
    #expect(throws: StorageError.self) { try server.store.read { try $0.setServerState("x", to: [3]) } }
    #expect(try server.store.read { try $0.serverState("x") } == [2])
  }

  @Test func `its log stays bounded`() throws {
    let server = try AlertsServer()
    let value = [UInt8](repeating: 7, count: 200_000)
    for number in 0..<60 { try server.store.write { try $0.setServerState("big \(number % 3)", to: value) } }
    let attributes = try FileManager.default.attributesOfItem(atPath: server.path + "-wal")
    let size = try #require(attributes[.size] as? Int)
    #expect(size < 3 * 1000 * 4096)
  }

  @Test func `two stores on one file take turns`() throws {
    let server = try AlertsServer()
    let other = try SQLiteServerStore.open(path: server.path)
    defer { other.close() }
    let results = try atOnce(8) { index -> Bool in
      let store = index.isMultiple(of: 2) ? server.store : other
      do {
        for _ in 0..<25 {
          try store.write { transaction in
            let count = try transaction.serverState("count")?.first ?? 0
            try transaction.setServerState("count", to: [count + 1])
          }
        }
        return true
      } catch {
        return false
      }
    }
    #expect(results == Array(repeating: true, count: 8))
    #expect(try other.read { try $0.serverState("count") } == [200])
  }

  @Test func `an invalid file, or one of a newer program, is refused`() throws {
    ScratchFolder.with { folder in
      writeFile([UInt8](repeating: 7, count: 8192), folder + "/a")
      let damaged = #expect(throws: StorageError.self) { try SQLiteServerStore.open(path: folder + "/a") }
      #expect(damaged?.code == .damaged)
      let missing = #expect(throws: StorageError.self) { try SQLiteServerStore.open(path: folder + "/no/b") }
      #expect(missing?.code == .cannotOpen)
    }
  }
}
