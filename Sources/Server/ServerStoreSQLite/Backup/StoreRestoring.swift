import Glibc
import SQLiteKit
package import ServerCore
import SystemKit

/// Puts a copy in the place of a store that no server uses.
///
/// Devices that have seen more than the copy has are noticed by their cursors at their next exchange: their account begins a new history,
/// and they send again what the copy lacks (`SyncPosition`).
///
/// Wherever it is interrupted, the next start finds the former store, or refuses to begin with an empty one, or finds the copy.
package struct StoreRestoring {
  package struct Done {
    package let copy: StoreCopy
    /// Where the files lie now that were there before.
    package let kept: [String]
    /// Nil where what was there cannot be read.
    package let blocks: ChangedBlocks?
  }

  /// The telephones with which the operator allowed nobody to sign in before, or does so now; each in order.
  package struct ChangedBlocks: Hashable {
    /// Blocked since the copy was made.
    package let lifted: [String]
    /// No longer blocked when it was restored.
    package let restored: [String]

    fileprivate init?(from earlier: Set<String>?, to copied: Set<String>?) {
      guard let earlier else { return nil }
      let copied = copied ?? []
      (lifted, restored) = (earlier.subtracting(copied).sorted(), copied.subtracting(earlier).sorted())
    }
  }

  private let path: String

  /// - Parameter path: of the store.
  package init(at path: String) { self.path = path }

  /// - Parameter date: names what is kept.
  /// Throws, and changes nothing, where a server uses the store, or the copy cannot be used.
  package func restore(from copy: String, date: String) throws(StorageError) -> Done {
    for log in ["-wal", "-journal"] where Self.byteCount(copy + log) > 0 {
      throw StorageError(
        .damaged, "\(copy)\(log) holds changes that are not in \(copy): restore a copy as “admin backup” made it")
    }
    do {
      let partial = PartialFile.path(for: path)
      defer { PartialFile.remove(partial) }
      // What is read is what is used: not the file that somebody else may still change.
      try copyBytes(copy, to: partial)
      let read = try StoreCopy(reading: partial, called: copy)
      let making = StoreMaking(path: path, creation: .always)
      try making.prepareLockFile()
      let lock = try StoreFileLock(path: path + "-lock")
      return try lock.hold(limitMilliseconds: 5000) {
        guard try !lock.isUsedByAnother() else { throw SetAsideFiles.isUsed }
        // From here on an empty store is never begun in its place.
        try making.finish(lock: lock.descriptor)
        try takeAlone()
        let blocks = ChangedBlocks(from: Self.blocks(in: path), to: Self.blocks(in: partial))
        return Done(copy: read, kept: try replace(by: partial, "\(path).before-\(date)"), blocks: blocks)
      }
    } catch {
      throw StorageError(any: error)
    }
  }

  private func takeAlone() throws {
    do {
      if access(path, F_OK) == 0 { try SetAsideFiles.takeAlone(path) }
    } catch let error as SQLiteError where error.kind == .damaged {
      // It is restored for that, and kept as it is.
    }
  }

  /// The telephones with which nobody may sign in, because the operator blocked them; nil where that cannot be read.
  private static func blocks(in path: String) -> Set<String>? {
    do {
      var options = ConnectionOptions()
      options.createsFile = false
      options.access = .immutable
      let connection = try Connection(path: path, options: options)
      defer { connection.close() }
      let phones = try connection.statement("SELECT phone FROM blocked_phones WHERE is_for_removal = 0")
        .rows { row in try row["phone", as: String.self] }
      return Set(phones)
    } catch {
      // It is damaged, or of a version that had no blocks.
      return nil
    }
  }

  private func replace(by partial: String, _ name: String) throws -> [String] {
    let kept = try SetAsideFiles.move(path, to: name)
    guard rename(partial, path) == 0 else {
      let failure = StoreCopy.failure("\(path) cannot be made")
      throw StorageError(
        failure.code, kept.isEmpty ? failure.message : "\(failure.message). What was there is \(kept[0])")
    }
    try StoreCopy.sync(Folder.parent(of: path))
    return kept
  }

  private func copyBytes(_ source: String, to target: String) throws {
    guard let from = FileDescriptor(opening: source, O_RDONLY) else {
      throw StoreCopy.failure("\(source) cannot be read")
    }
    var kind = stat()
    guard fstat(from.number, &kind) == 0, kind.st_mode & S_IFMT == S_IFREG else {
      throw StorageError(.damaged, "\(source) is no file")
    }
    guard let to = FileDescriptor(opening: target, O_RDWR | O_CREAT | O_EXCL, permissions: 0o600) else {
      throw StoreCopy.failure("\(target) cannot be made")
    }
    guard StoreMaking(path: path, creation: .always).giveToOwner(to.number) else {
      throw StoreCopy.failure("\(target) cannot be given to its owner")
    }
    while true {
      let count = sendfile(to.number, from.number, nil, 1 << 24)
      if count == 0 { break }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw StoreCopy.failure("\(target) cannot be written") }
    }
    guard fsync(to.number) == 0 else { throw StoreCopy.failure("\(target) cannot be made durable") }
  }

  /// 0 where there is none.
  private static func byteCount(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }
}
