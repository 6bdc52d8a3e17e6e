import Glibc
import ServerCore
import SystemKit

/// Whether an empty store may be made where none is found.
package enum StoreCreation: Sendable, Hashable {
  /// Where there never was one. A store that is missing or empty where there was one is refused.
  case first
  /// The operator says so: `--create`.
  case always
}

/// Decides whether the database is opened or made, by what lies at its path and what the lock file says.
///
/// The lock file says `making` from before the database is made until its tables are durable, so that a first start which
/// was interrupted goes on; then `made`. Versions before this left it empty.
struct StoreMaking {
  private enum Mark: String {
    case making = "making\n"
    case made = "made\n"
    case absent = ""
  }

  let path: String
  let creation: StoreCreation

  private var lockPath: String { path + "-lock" }

  /// Before the lock file is opened: makes it where it is missing, at once with its mark.
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
    try set(.making, in: file.number)
    // Another process may have been first.
    guard link(temporary, lockPath) == 0 || errno == EEXIST else {
      throw StorageError(.cannotOpen, "the store's lock file cannot be made: \(String(cString: strerror(errno)))")
    }
  }

  /// With the lock held: makes an empty database file of mode 0600 where there is none and may be one.
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

  /// With the lock held: the tables are there, durably.
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

  /// Nil where there is no such file.
  private func byteCount(_ path: String) throws(StorageError) -> Int? {
    var status = stat()
    if stat(path, &status) == 0 { return Int(status.st_size) }
    guard errno == ENOENT || errno == ENOTDIR else {
      throw StorageError(.cannotOpen, "stat: \(String(cString: strerror(errno)))")
    }
    return nil
  }
}
