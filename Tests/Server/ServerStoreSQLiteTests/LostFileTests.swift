import ChildPrograms
import Glibc
import SQLiteKit
import ServerCore
import TestSupport
import Testing

@testable import ServerStoreSQLite

/// Tests real files that are removed, replaced, cut or made read-only, while the store has them open and before.
@Suite(.computing) struct `The store's file` {
  private let folder = ScratchFolder(in: ScratchFolder.onDisk)
  private var path: String { folder.path + "/server.sqlite" }

  private func opened() throws -> SQLiteServerStore {
    let store = try SQLiteServerStore.open(path: path)
    try store.write { try $0.setServerState("secret", to: [1]) }
    return store
  }

  private func code(_ body: () throws -> Void) -> StorageError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? StorageError)?.code
    }
  }

  enum Loss: String, CaseIterable {
    case removed, replaced, cut, logRemoved, logCut
  }

  private func lose(_ loss: Loss) {
    switch loss {
    case .removed: unlink(path)
    case .replaced:
      writeFile([UInt8](repeating: 0, count: 8192), path + ".other")
      rename(path + ".other", path)
    case .cut: truncate(path, 0)
    case .logRemoved: unlink(path + "-wal")
    case .logCut: truncate(path + "-wal", 0)
    }
  }

  @Test(arguments: Loss.allCases) func `is lost within a transaction, which is not reported as committed`(
    loss: Loss
  ) throws {
    let store = try opened()
    defer { store.close() }
    let failure = code {
      try store.write { transaction in
        try transaction.setServerState("x", to: [2])
        lose(loss)
      }
    }
    #expect(failure == .fileLost)
  }

  @Test(arguments: Loss.allCases) func `is lost between two transactions, and the next one fails`(loss: Loss) throws {
    let store = try opened()
    defer { store.close() }
    lose(loss)
    #expect(code { try store.write { try $0.setServerState("x", to: [2]) } } == .fileLost)
  }

  @Test func `is used again once it is restored`() throws {
    let store = try opened()
    defer { store.close() }
    rename(path, path + ".away")
    for _ in 0..<3 { #expect(code { try store.write { try $0.setServerState("x", to: [2]) } } == .fileLost) }
    #expect(code { _ = try store.read { try $0.serverState("x") } } == .fileLost)
    #expect(access(path, F_OK) != 0, "it is not made anew")
    rename(path + ".away", path)
    try store.write { try $0.setServerState("x", to: [3]) }
    #expect(try store.read { try $0.serverState("x") } == [3])
  }

  @Test func `of another server is not taken for its own`() throws {
    let store = try opened()
    defer { store.close() }
    let other = try SQLiteServerStore.open(path: folder.path + "/other.sqlite")
    try other.write { try $0.setServerState("secret", to: [2]) }
    try other.write { try $0.setServerState("more", to: [2]) }
    other.close()
    for suffix in ["", "-wal"] { rename(folder.path + "/other.sqlite" + suffix, path + suffix) }
    for _ in 0..<3 { #expect(code { try store.write { try $0.setServerState("x", to: [2]) } } == .fileLost) }
  }

  /// Runs `body` as another user for file access (setfsuid(2), which applies to this thread alone), because root may
  /// write read-only files.
  private func asNobody<Result>(_ body: () throws -> Result) rethrows -> Result {
    typealias SetUser = @convention(c) (UInt32) -> Int32
    guard geteuid() == 0, let symbol = dlsym(nil, "setfsuid") else { return try body() }
    let setUser = unsafeBitCast(symbol, to: SetUser.self)
    _ = setUser(65534)
    defer { _ = setUser(0) }
    return try body()
  }

  @Test func `can be written again after it was read-only for a while`() throws {
    let store = try opened()
    defer { store.close() }
    let files = [path, path + "-wal", path + "-shm"]
    chmod(folder.path, 0o755)
    for file in files { chmod(file, 0o444) }
    asNobody {
      // After a failed commit the store opens a new connection, here while nothing can be written.
      store.close()
      for _ in 0..<3 { #expect(code { try store.write { try $0.setServerState("x", to: [2]) } } != nil) }
    }
    for file in files { chmod(file, 0o600) }
    for number in 0..<40 { try store.write { try $0.setServerState("x", to: [UInt8(number)]) } }
    #expect(try store.read { try $0.serverState("x") } == [39])
  }

  // MARK: Opening

  @Test func `is created if there was none`() throws {
    try opened().close()
    #expect(code { try SQLiteServerStore.open(path: path).close() } == nil)
  }

  @Test(arguments: [Loss.removed, .cut]) func `is not created again if there was one, except by --create`(
    loss: Loss
  ) throws {
    try opened().close()
    lose(loss)
    #expect(code { try SQLiteServerStore.open(path: path).close() } == .fileLost)
    // The log may have the newest alerts, so it must not be deleted either.
    #expect(code { try SQLiteServerStore.open(path: path, creation: .always).close() } == .fileLost)
    rename(path + "-wal", path + "-wal.away")
    let store = try SQLiteServerStore.open(path: path, creation: .always)
    defer { store.close() }
    #expect(try store.read { try $0.serverState("secret") } == nil)
  }

  @Test func `that is empty and not a store is refused, except by --create`() throws {
    writeFile([], path)
    #expect(code { try SQLiteServerStore.open(path: path).close() } == .fileLost)
    #expect(code { try SQLiteServerStore.open(path: path, creation: .always).close() } == nil)
  }

  @Test func `of an older version, which left no mark, is not created again either`() throws {
    try opened().close()
    truncate(path + "-lock", 0)
    #expect(code { try opened().close() } == nil, "it goes on")
    truncate(path + "-lock", 0)
    for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    #expect(code { try SQLiteServerStore.open(path: path).close() } == .fileLost)
  }

  @Test(arguments: [true, false]) func `whose first creation was interrupted is created by the next start`(
    isThere: Bool
  ) throws {
    writeFile(Array("making\n".utf8), path + "-lock")
    if isThere { writeFile([], path) }
    #expect(code { try SQLiteServerStore.open(path: path).close() } == nil)
  }

  @Test func `of another program is left alone`() throws {
    let other = try SQLiteServerStore.open(path: path)
    try other.write { try $0.setServerState("secret", to: [1]) }
    other.close()
    try forgetVersion()
    #expect(code { try SQLiteServerStore.open(path: path).close() } == .cannotOpen)
  }

  private func forgetVersion() throws {
    let process = StoreConnection(path: path, options: ConnectionOptions(), isWritable: true, secret: StoreSecret())
    defer { process.shutDown() }
    try process.use { try $0.connection.execute("PRAGMA user_version = 0") }
  }
}
