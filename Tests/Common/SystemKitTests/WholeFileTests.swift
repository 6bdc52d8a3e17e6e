import Glibc
import TestSupport
import Testing

@testable import SystemKit

@Suite struct WholeFileTests {
  private let folder = ScratchFolder(in: ScratchFolder.inMemory)
  private var path: String { folder.path + "/file" }
  private var temporary: String { folder.path + "/file.new" }

  private func replace(
    _ text: String, durability: WholeFile.Durability = .contentsAndName, before: WholeFile.Hook? = nil
  ) throws(SystemError) {
    try WholeFile.replace(path, with: Array(text.utf8), through: temporary, durability: durability, before: before)
  }

  private func contents() throws -> String? {
    try WholeFile.read(path, maximumBytes: 1000).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `a missing file is nil, and a file that is too large is an error`() throws {
    #expect(try contents() == nil)
    try replace("four")
    #expect(try WholeFile.read(path, maximumBytes: 4) == Array("four".utf8))
    #expect(throws: SystemError(EFBIG, "read \(path)")) { try WholeFile.read(path, maximumBytes: 3) }
    #expect(throws: SystemError(ENOTDIR, "read \(path)/a")) { try WholeFile.read(path + "/a", maximumBytes: 3) }
  }

  @Test func `a file larger than the buffer is read completely`() throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try WholeFile.replace(path, with: bytes, through: temporary, durability: .none)
    #expect(try WholeFile.read(path, maximumBytes: .max) == bytes)
  }

  @Test func `a durable file is synced before it gets its name, and its folder after that`() throws {
    var operations: [FileOperation] = []
    try replace("a") { operations.append($0) }
    #expect(
      operations == [
        .make(temporary), .write(temporary, Array("a".utf8)), .sync(temporary), .rename(temporary, to: path),
        .syncFolder(folder.path),
      ])
  }

  @Test func `a file that need not survive a power cut is not synced`() throws {
    var operations: [FileOperation] = []
    try replace("a", durability: .none) { operations.append($0) }
    #expect(operations == [.make(temporary), .write(temporary, Array("a".utf8)), .rename(temporary, to: path)])
  }

  @Test(arguments: 0..<4)
  func `a failure before the rename leaves the old file and no other`(step: Int) throws {
    try replace("old")
    var count = 0
    #expect(throws: SystemError(ENOSPC, "do it")) {
      try replace("new") { (_) throws(SystemError) in
        defer { count += 1 }
        if count == step { throw SystemError(ENOSPC, "do it") }
      }
    }
    #expect(try contents() == "old")
    #expect(listFolder(folder.path) == ["file"])
  }

  @Test func `the leftovers of an earlier crash do not block the next write`() throws {
    writeFile(Array("half".utf8), temporary)
    try replace("whole")
    #expect(try contents() == "whole")
    #expect(listFolder(folder.path) == ["file"])
  }

  @Test func `only the owner can read the file`() throws {
    try replace("a")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o7777 == 0o600)
  }

  @Test func `a folder lists its names in order, and none if it is missing`() throws {
    for name in ["b", "a"] { writeFile([], "\(folder.path)/\(name)") }
    #expect(try Folder.names(in: folder.path) == ["a", "b"])
    #expect(try Folder.names(in: folder.path + "/none") == [])
    #expect(throws: SystemError(ENOTDIR, "read the folder \(folder.path)/a")) {
      try Folder.names(in: folder.path + "/a")
    }
  }

  @Test func `a path has a folder, even if it has no slash`() {
    #expect(Folder.parent(of: "/a/b") == "/a")
    #expect(Folder.parent(of: "/a") == "/")
    #expect(Folder.parent(of: "a") == ".")
  }
}

@Suite struct FileLockingTests {
  private struct NoFile: Error {}

  private let folder = ScratchFolder(in: ScratchFolder.inMemory)

  private func open() throws -> FileDescriptor {
    guard let file = FileDescriptor(opening: folder.path + "/lock", O_RDWR | O_CREAT, permissions: 0o600) else {
      throw NoFile()
    }
    return file
  }

  @Test func `two open files exclude each other until the lock is released`() throws {
    let first = try open()
    let second = try open()
    let taken = try [first.tryLock(), second.tryLock()]
    #expect(taken == [true, false])
    first.unlock(takenBy: getpid())
    let isFree = try second.tryLock()
    #expect(isFree)
  }

  @Test func `closing releases the lock`() throws {
    let first = try open()
    try first.lock()
    first.close()
    let second = try open()
    let isFree = try second.tryLock()
    #expect(isFree)
  }

  @Test func `a mark is seen by others and blocks nothing`() throws {
    let first = try open()
    let second = try open()
    first.mark()
    let seen = try [first.isMarkedByAnother(), second.isMarkedByAnother(), second.tryLock()]
    #expect(seen == [false, true, true])
    first.unmark(setBy: getpid())
    let isMarked = try second.isMarkedByAnother()
    #expect(!isMarked)
  }

  @Test func `a forked child releases neither the lock nor the mark of its parent`() throws {
    let ours = try open()
    let other = try open()
    try ours.lock()
    ours.mark()
    let parent = getpid()
    let child = fork()
    if child == 0 {
      ours.unmark(setBy: parent)
      ours.unlock(takenBy: parent)
      _exit(0)
    }
    var status: Int32 = -1
    #expect(waitpid(child, &status, 0) == child && status == 0)
    let seen = try [other.tryLock(), other.isMarkedByAnother()]
    #expect(seen == [false, true])
  }

  @Test func `overwriting leaves no bytes of longer contents`() throws {
    let file = try open()
    let isWritten = [file.overwrite(with: Array("longer".utf8)), file.overwrite(with: Array("new".utf8))]
    #expect(isWritten == [true, true])
    #expect(readFile(folder.path + "/lock") == Array("new".utf8))
  }
}

@Suite struct InotifyTests {
  private struct NoWatch: Error {}

  @Test func `events have the watch and the name, once each`() throws {
    let folder = ScratchFolder(in: ScratchFolder.inMemory)
    guard let inotify = Inotify(), let watch = inotify.watch(folder.path, for: IN_CREATE | IN_MOVED_TO) else {
      throw NoWatch()
    }
    let before = inotify.takeEvents().count
    #expect(before == 0)
    writeFile([], folder.path + "/a")
    let events = inotify.takeEvents()
    #expect(events.map(\.name) == ["a"] && events.first?.watch == watch && events.first?.isOverflow == false)
    let after = inotify.takeEvents().count
    #expect(after == 0)
  }

  @Test func `a missing file cannot be watched, and errno has the reason`() throws {
    guard let inotify = Inotify() else { throw NoWatch() }
    let watch = inotify.watch("/dev/null/nothing", for: IN_CREATE)
    let error = errno
    #expect(watch == nil && error == ENOTDIR)
  }
}
