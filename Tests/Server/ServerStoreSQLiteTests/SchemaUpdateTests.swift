import ChildPrograms
import SQLiteKit
import Schema
import ServerCore
import SystemKit
import TestSupport
import Testing

@testable import ServerStoreSQLite

/// A store of an earlier version that a newer program opens.
@Suite(.computing) struct `A store of an earlier version` {
  private let folder = ScratchFolder(in: ScratchFolder.onDisk)
  private var path: String { folder.path + "/server.sqlite" }

  init() throws {
    let connection = try Connection(path: path)
    defer { connection.close() }
    try Migrator(Migrator(embedded: lifesignal_schema_server_migration).migrations.dropLast()).migrate(connection)
    try WholeFile.replace(path + "-lock", with: Array("made\n".utf8), through: path + "-new", durability: .none)
  }

  private func version() throws -> Int? {
    let connection = try Connection(path: path)
    defer { connection.close() }
    return try connection.statement("PRAGMA user_version").value()
  }

  @Test func `is brought up to date, which is told once`() throws {
    for update in [SchemaUpdate.updated, .none] {
      let store = try SQLiteServerStore.open(path: path)
      #expect(store.schemaUpdate == update)
      store.close()
    }
    let new = try SQLiteServerStore.open(path: path + "-other")
    #expect(new.schemaUpdate == .made)
    new.close()
  }

  @Test func `is left as it is by what is no server while a server may use it`() throws {
    let before = try version()
    let server = try StoreFileLock(path: path + "-lock")
    server.markAsUsed()
    let error = #expect(throws: StorageError.self) {
      try SQLiteServerStore.open(path: path, updatesBeneathServers: false)
    }
    #expect(error?.code == .busy && error?.message.contains("another process uses the database") == true)
    let moving = #expect(throws: StorageError.self) { try StoreMoving(from: path).move(date: "1") { _ in } }
    #expect(moving?.code == .busy)
    #expect(try version() == before)
    server.unmarkAsUsed()
    let store = try SQLiteServerStore.open(path: path, updatesBeneathServers: false)
    #expect(store.schemaUpdate == .updated)
    store.close()
  }

  @Test func `that was moved and cannot be set aside says what to do`() throws {
    // No file has so long a name.
    let error = #expect(throws: StorageError.self) {
      try StoreMoving(from: path).move(date: String(repeating: "9", count: 300)) { _ in }
    }
    #expect(error?.message.hasPrefix("everything is in the new database now, but") == true)
    #expect(error?.message.contains("move \(path) away") == true, "\(error?.message ?? "")")
  }
}
