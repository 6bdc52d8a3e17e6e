import CLinux
import Glibc

/// Small files that are read and replaced as a whole.
package enum WholeFile {
  /// How much of a replaced file survives a power cut.
  package enum Durability: Sendable {
    /// Whatever the kernel has written by then.
    case none
    /// Its contents, once something syncs its name.
    case contents
    /// All of it.
    case contentsAndName
  }

  /// Called before each operation that changes something. If it throws, the operation is not done.
  package typealias Hook = (FileOperation) throws(SystemError) -> Void

  /// The file's bytes; nil if there is no file. Throws `EFBIG` if it has more than `maximumBytes`.
  package static func read(_ path: String, maximumBytes: Int) throws(SystemError) -> [UInt8]? {
    guard let file = FileDescriptor(opening: path, O_RDONLY) else {
      guard errno == ENOENT else { throw SystemError(errno, "read \(path)") }
      return nil
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(file.number, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(errno, "read \(path)") }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= maximumBytes else { throw SystemError(EFBIG, "read \(path)") }
    }
  }

  /// Replaces the file with these bytes, mode 0600 whatever the umask is. Readers see the old file or the new one, also after this
  /// process crashed.
  ///
  /// The calls, in this order: unlink, open, fchmod, write and fsync of `temporary`, rename to `path`, fsync of the folder; if one
  /// fails, unlink of `temporary`. The syncs are as `durability` says.
  ///
  /// - Parameter temporary: a path in the same folder that nobody else writes to at the same time.
  package static func replace(
    _ path: String, with bytes: [UInt8], through temporary: String, durability: Durability, before: Hook? = nil
  ) throws(SystemError) {
    do throws(SystemError) {
      try remove(temporary, before: before)
      try make(temporary, with: bytes, isSynced: durability != .none, before: before)
      try before?(.rename(temporary, to: path))
      guard rename(temporary, path) == 0 else { throw SystemError(errno, "rename \(temporary)") }
    } catch {
      // The first error is reported. A temporary file that is left is ignored, and removed by the next call.
      try? remove(temporary, before: before)
      throw error
    }
    if durability == .contentsAndName { try Folder.sync(Folder.parent(of: path), before: before) }
  }

  /// Gives a finished file the name `path` in the same folder, which must be free: throws `EEXIST` where it is not. Nobody ever sees a part
  /// of the file under that name, and nothing is replaced. On return `temporary` may still be a name of the file.
  ///
  /// - Parameter fileSystemHasLinks: false behaves as on a file system without hard links, such as FAT. Only tests set it.
  package static func publish(
    _ temporary: String, as path: String, fileSystemHasLinks: Bool = true
  ) throws(SystemError) {
    if fileSystemHasLinks {
      if link(temporary, path) == 0 { return }
      // As link(2) and the drivers of file systems without links say it.
      guard [EPERM, EOPNOTSUPP, ENOSYS].contains(errno) else { throw SystemError(errno, "name \(path)") }
    }
    guard lifesignal_rename_new(temporary, path) == 0 else { throw SystemError(errno, "name \(path)") }
  }

  /// Removes the file if it is there. It comes back after a power cut unless its folder is synced.
  package static func remove(_ path: String, before: Hook? = nil) throws(SystemError) {
    if let before, access(path, F_OK) == 0 { try before(.remove(path)) }
    guard unlink(path) == 0 || errno == ENOENT else { throw SystemError(errno, "remove \(path)") }
  }

  private static func make(
    _ path: String, with bytes: [UInt8], isSynced: Bool, before: Hook?
  ) throws(SystemError) {
    try before?(.make(path))
    guard let file = FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600),
      fchmod(file.number, 0o600) == 0
    else { throw SystemError(errno, "make \(path)") }
    try before?(.write(path, bytes))
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(file.number, $0.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(errno, "write \(path)") }
      written += count
    }
    guard isSynced else { return }
    try before?(.sync(path))
    guard fsync(file.number) == 0 else { throw SystemError(errno, "sync \(path)") }
  }
}

/// One change of a file or a folder. Paths are as the caller gave them.
package enum FileOperation: Hashable, Sendable {
  /// A new, empty file.
  case make(String)
  /// At the end of the file.
  case write(String, [UInt8])
  case sync(String)
  case rename(String, to: String)
  case remove(String)
  case makeFolder(String)
  case syncFolder(String)
}
