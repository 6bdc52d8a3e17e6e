import ChildPrograms
import Glibc
import Model
import SQLiteKit
import ServerCore
import ServerStoreSQLite
import SystemKit
import TestSupport
import Testing

@Suite(.computing) struct `A backup` {
  private let folder = ScratchFolder(in: ScratchFolder.onDisk)
  private var path: String { folder.path + "/server.sqlite" }
  private var copy: String { folder.path + "/copy.sqlite" }

  private func store() throws -> SQLiteServerStore { try SQLiteServerStore.open(path: path) }

  private static func add(_ number: Int64, to store: SQLiteServerStore) throws {
    try store.write { transaction in
      try #require(transaction as? SQLiteServerTransaction).connection.statement(
        "INSERT INTO accounts (id, phone, epoch, created_at) VALUES (printf('00000003-0000-7000-8000-%012d', ?1), ?1, 'a', 0)"
      ).run(.integer(number))
    }
  }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test func `has all that was committed when it began, while others write on`() throws {
    let store = try store()
    for number in 1...50 as ClosedRange<Int64> { try Self.add(number, to: store) }
    let count = Lock<Int64>(50)
    let isDone = Lock(false)
    let writer = try SystemThread {
      while !isDone.withLock({ $0 }) {
        let next = count.withLock { $0 + 1 }
        guard (try? Self.add(next, to: store)) != nil else { continue }
        count.withLock { $0 = next }
      }
    }
    defer {
      isDone.withLock { $0 = true }
      writer.join()
      store.close()
    }
    for round in 0..<5 {
      let before = count.withLock { $0 }
      let made = try StoreCopy.make(of: path, at: copy + "\(round)")
      #expect(made.copy.accounts >= Int(before) && made.copy.accounts <= Int(count.withLock { $0 }) + 1)
      #expect(mode(copy + "\(round)") == 0o600)
    }
    #expect(try Folder.names(in: folder.path).filter { $0.hasPrefix(".lifesignal-partial") } == [])
    #expect(count.withLock { $0 } > 50, "others wrote meanwhile")
  }

  @Test func `removes what a killed one left, and not what a running one writes`() throws {
    let store = try store()
    defer { store.close() }
    // No process has the greatest number, and the first one always runs.
    let (abandoned, running) = (".lifesignal-partial-\(Int32.max)", ".lifesignal-partial-1")
    for name in [abandoned, abandoned + "-journal", running] {
      close(open(folder.path + "/" + name, O_CREAT | O_WRONLY, 0o600))
    }
    _ = try StoreCopy.make(of: path, at: copy)
    #expect(try Folder.names(in: folder.path).filter { $0.hasPrefix(".lifesignal-partial") } == [running])
  }

  @Test func `is refused where a log lies beside it, which it would lack`() throws {
    let store = try store()
    try Self.add(1, to: store)
    _ = try StoreCopy.make(of: path, at: copy)
    store.close()
    for log in ["-wal", "-journal"] {
      try WholeFile.replace(copy + log, with: [1], through: copy + ".new", durability: .none)
      let error = #expect(throws: StorageError.self) { try StoreRestoring(at: path).restore(from: copy, date: "1") }
      #expect(error?.message.contains(copy + log) == true)
      unlink(copy + log)
    }
  }

  @Test func `that was put back where there was nothing leaves no way to begin with an empty store`() throws {
    let store = try store()
    try Self.add(1, to: store)
    _ = try StoreCopy.make(of: path, at: copy)
    store.close()
    let elsewhere = folder.path + "/elsewhere.sqlite"
    let done = try StoreRestoring(at: elsewhere).restore(from: copy, date: "1")
    #expect(done.kept == [])
    unlink(elsewhere)
    #expect(throws: StorageError.self) { try SQLiteServerStore.open(path: elsewhere) }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
  func `belongs to who owned the store, or its folder`() throws {
    let store = try store()
    _ = try StoreCopy.make(of: path, at: copy)
    store.close()
    #expect(chown(path, 4711, 4712) == 0)
    _ = try StoreRestoring(at: path).restore(from: copy, date: "1")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_uid == 4711 && status.st_gid == 4712)
  }

  @Test func `is put back when the store is gone, damaged or wrong, with its log out of the way`() throws {
    var store = try store()
    try Self.add(1, to: store)
    _ = try StoreCopy.make(of: path, at: copy)
    for (round, harm) in ["none", "rm", "damage", "more"].enumerated() {
      if harm == "more" { try Self.add(2, to: store) }
      store.close()
      switch harm {
      case "rm": unlink(path)
      case "damage":
        try WholeFile.replace(
          path, with: [UInt8](repeating: 0xAA, count: 100_000), through: path + ".new", durability: .none)
      default: break
      }
      let done = try StoreRestoring(at: path).restore(from: copy, date: "\(round)")
      #expect(done.copy.accounts == 1)
      #expect(done.kept.contains("\(path).before-\(round)") == (harm != "rm"))
      for kept in done.kept { #expect(access(kept, F_OK) == 0) }
      #expect(mode(path) == 0o600)
      store = try self.store()
      try Self.add(7, to: store)
      #expect(throws: (any Error).self) { try Self.add(1, to: store) }
      try Self.add(2 + Int64(round) * 10, to: store)
    }
    store.close()
  }

  @Test func `brings back the blocks of then, and says which changed`() throws {
    func block(_ phone: String, isForRemoval: Bool = false) throws {
      let store = try store()
      defer { store.close() }
      try store.write {
        try $0.addBlock(PhoneBlock(since: Timestamp(milliseconds: 7), isForRemoval: isForRemoval), of: phone)
      }
    }
    for phone in ["+12025550101", "+12025550105"] { try block(phone) }
    _ = try StoreCopy.make(of: path, at: copy)
    for phone in ["+12025550103", "+12025550102"] { try block(phone) }
    try block("+12025550104", isForRemoval: true)
    let unblocking = try store()
    try unblocking.write { try $0.liftBlock(of: "+12025550105") }
    unblocking.close()
    let blocks = try #require(try StoreRestoring(at: path).restore(from: copy, date: "1").blocks)
    #expect(blocks.lifted == ["+12025550102", "+12025550103"])
    #expect(blocks.restored == ["+12025550105"])
    let again = try #require(try StoreRestoring(at: path).restore(from: copy, date: "2").blocks)
    #expect(again.lifted == [] && again.restored == [])
    unlink(path)
    #expect(try StoreRestoring(at: path).restore(from: copy, date: "3").blocks == nil)
  }

  @Test func `is not put back while a server runs`() throws {
    let store = try store()
    try Self.add(1, to: store)
    _ = try StoreCopy.make(of: path, at: copy)
    let error = #expect(throws: StorageError.self) { try StoreRestoring(at: path).restore(from: copy, date: "1") }
    #expect(error?.message == "a server, or a backup, uses the database: stop it first")
    try Self.add(2, to: store)
    store.close()
    #expect(try Folder.names(in: folder.path).filter { $0.hasPrefix(".lifesignal-partial") } == [])
    _ = try StoreRestoring(at: path).restore(from: copy, date: "1")
  }

  @Test func `that is damaged, cut, another program's or newer changes nothing`() throws {
    let store = try store()
    try Self.add(1, to: store)
    _ = try StoreCopy.make(of: path, at: copy)
    store.close()
    var status = stat()
    stat(copy, &status)
    let bytes = try #require(try WholeFile.read(copy, maximumBytes: 1 << 24))
    func put(_ bytes: [UInt8]) throws {
      try WholeFile.replace(copy, with: bytes, through: copy + ".new", durability: .none)
    }
    var damaged = bytes
    for index in 3 * 4096..<(4 * 4096) { damaged[index] ^= 0xFF }
    var newer = bytes
    newer[62] = 0x7F
    for (wrong, word) in [
      (damaged, "damaged"), (Array(bytes.dropLast(8192)), "damaged"), (Array("hello".utf8), copy), ([], "no copy"),
      (newer, "newer version"),
    ] {
      try put(wrong)
      let error = #expect(throws: StorageError.self) { try StoreRestoring(at: path).restore(from: copy, date: "1") }
      #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
      #expect(access(path + ".before-1", F_OK) != 0)
    }
    let after = try self.store()
    #expect(throws: (any Error).self) { try Self.add(1, to: after) }
    after.close()
  }

  @Test func `is made on a file system without hard links too`() throws {
    let store = try store()
    defer { store.close() }
    try Self.add(1, to: store)
    let made = try StoreCopy.make(of: path, at: copy, fileSystemHasLinks: false)
    #expect(made.copy.accounts == 1 && mode(copy) == 0o600)
    #expect(try Folder.names(in: folder.path).filter { $0.hasPrefix(".lifesignal-partial") } == [])
    let elsewhere = folder.path + "/elsewhere.sqlite"
    #expect(try StoreRestoring(at: elsewhere).restore(from: copy, date: "1").copy.accounts == 1)
  }

  @Test(arguments: [true, false]) func `takes no name that somebody has given meanwhile`(hasLinks: Bool) throws {
    let (new, old) = (folder.path + "/new", folder.path + "/old")
    for (path, byte) in [(new, 1), (old, 2)] as [(String, UInt8)] {
      try WholeFile.replace(path, with: [byte], through: path + "-part", durability: .none)
    }
    let error = #expect(throws: SystemError.self) {
      try WholeFile.publish(new, as: old, fileSystemHasLinks: hasLinks)
    }
    #expect(error?.number == EEXIST)
    #expect(try WholeFile.read(old, maximumBytes: 9) == [2] && WholeFile.read(new, maximumBytes: 9) == [1])
  }

  @Test func `overwrites nothing`() throws {
    let store = try store()
    defer { store.close() }
    close(open(copy, O_CREAT | O_WRONLY, 0o600))
    #expect(throws: StorageError.self) { try StoreCopy.make(of: path, at: copy) }
    #expect(throws: StorageError.self) { try StoreCopy.make(of: path, at: folder.path + "/nowhere/copy") }
    #expect(throws: StorageError.self) { try StoreCopy.make(of: folder.path + "/nothing", at: copy + "2") }
    #expect(access(copy + "2", F_OK) != 0)
  }
}
