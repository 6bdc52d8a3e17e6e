import Glibc
import ServerCore
import SystemKit

/// Whether an empty store may be created if none is found.
package enum StoreCreation: Sendable, Hashable {
  /// Only if there never was one. A store that is lost or empty is refused.
  case first
  /// Always, as the operator asked by `--create`.
  case always
}

/// Decides whether the database is opened or created, by the files at its path and the mark in the lock file.
///
/// The lock file says `making` until the tables of a new database are durable, so that an interrupted first start
/// continues; then `made`. Earlier versions left it empty.
struct StoreMaking {
  private enum Mark: String {
    case making = "making\n"
    case made = "made\n"
    case absent = ""
  }

  let path: String
  let creation: StoreCreation

  private var lockPath: String { path + "-lock" }

  /// Creates the lock file, with its mark, if it is missing. Call before opening it.
  func prepareLockFile() throws(StorageError) {
    guard access(lockPath, F_OK) != 0 else { return }
    if try byteCount(path) == 0 { try requireCreation("is empty") }
    if try byteCount(path) == nil, try byteCount(path + "-wal") ?? 0 > 0 {
      try requireCreation("is missing beside its log")
    }
    let temporary = lockPath + ".\(getpid())"
    unlink(temporary)
    guard let file = FileDescriptor(opening: temporary, O_RDWR | O_CREAT | O_EXCL, permissions: 0o600) else {
      throw StorageError(.cannotOpen, "the store's lock file cannot be made: \(String(cString: strerror(errno)))")
    }
    defer { unlink(temporary) }
    guard giveToOwner(file.number) else {
      throw StorageError(.cannotOpen, "the database's lock file cannot be given to its owner")
    }
    try set(.making, in: file.number)
    do throws(SystemError) {
      try WholeFile.publish(temporary, as: lockPath)
    } catch let error where error.number == EEXIST {
      // Another process was first.
    } catch {
      throw StorageError(.cannotOpen, "the store's lock file cannot be made: \(error.reason)")
    }
  }

  /// The server may not be who makes the file: gives it to the owner of the database, or of its folder.
  func giveToOwner(_ descriptor: Int32) -> Bool {
    guard geteuid() == 0 else { return true }
    var owner = stat()
    guard stat(path, &owner) == 0 || stat(Folder.parent(of: path), &owner) == 0 else { return false }
    return fchown(descriptor, owner.st_uid, owner.st_gid) == 0
  }

  /// Creates an empty database file of mode 0600 if there is none and one may be created. Call with the lock held.
  func makeFile(lock: Int32) throws(StorageError) {
    let found = try byteCount(path)
    guard found ?? 0 == 0 else { return }
    if try mark(of: lock) != .making {
      try requireCreation(found == nil ? "is missing" : "is empty")
      guard try byteCount(path + "-wal") ?? 0 == 0 else {
        throw StorageError(
          .fileLost, "its log \(path)-wal is still there and may hold what was lost: move it away before --create")
      }
      try set(.making, in: lock)
    }
    guard mknod(path, S_IFREG | 0o600, 0) == 0 || errno == EEXIST else {
      throw StorageError(.cannotOpen, "the store's file cannot be made: \(String(cString: strerror(errno)))")
    }
  }

  /// Marks that the tables are durable. Call with the lock held.
  func finish(lock: Int32) throws(StorageError) {
    if try mark(of: lock) != .made { try set(.made, in: lock) }
  }

  private func requireCreation(_ state: String) throws(StorageError) {
    guard creation == .first else { return }
    throw StorageError(
      .fileLost, "it \(state), and there was one: restore it from a backup, or begin with an empty one by --create")
  }

  private func mark(of lock: Int32) throws(StorageError) -> Mark {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(lock, &bytes, bytes.count, 0)
    guard count >= 0 else { throw StorageError(.inputOutput, "the store's lock file cannot be read") }
    return Mark(rawValue: String(decoding: bytes[..<count], as: UTF8.self)) ?? .absent
  }

  private func set(_ mark: Mark, in lock: Int32) throws(StorageError) {
    let bytes = Array(mark.rawValue.utf8)
    guard pwrite(lock, bytes, bytes.count, 0) == bytes.count, ftruncate(lock, off_t(bytes.count)) == 0, fsync(lock) == 0
    else {
      throw StorageError(.inputOutput, "the store's lock file cannot be written: \(String(cString: strerror(errno)))")
    }
  }

  /// Nil if there is no such file.
  private func byteCount(_ path: String) throws(StorageError) -> Int? {
    var status = stat()
    if stat(path, &status) == 0 { return Int(status.st_size) }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw StorageError(.cannotOpen, "stat: \(String(cString: strerror(errno)))")
    }
    return nil
  }
}
