import Glibc
import PlantedBugs
import SystemKit

/// Small files that are read and written whole: the spool's, the configuration.
enum PlainFile {
  /// The file's bytes; nil where there is none. Throws where it has more than `maximumBytes`.
  static func read(_ path: String, maximumBytes: Int) throws(LocalStoreError) -> [UInt8]? {
    guard let file = FileDescriptor(opening: path, O_RDONLY) else {
      guard errno == ENOENT else { throw LocalStoreError(errorNumber: errno, "read \(path)") }
      return nil
    }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(file.number, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw LocalStoreError(errorNumber: errno, "read \(path)") }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= maximumBytes else { throw LocalStoreError(.cannotOpen, "\(path) is too large") }
    }
  }

  /// Makes the file with these bytes, mode 0600, durably: the file and its folder are synced. Nothing appears under `path`
  /// before it is whole; one that is there is replaced.
  static func write(_ bytes: [UInt8], to path: String, on disk: (any PlainDisk)?) throws(LocalStoreError) {
    let temporary = path + ".\(getpid()).partial"
    do throws(LocalStoreError) {
      try writeAndSync(bytes, to: temporary, on: disk)
      try disk?.will(.rename(temporary, to: path))
      try FileSystem.rename(temporary, to: path)
    } catch {
      // The first error is the one to tell; what is left of the file counts for nothing.
      try? FileSystem.remove(temporary, on: disk)
      throw error
    }
    if !PlantedBug.folderNotSynced.isPlanted { try FileSystem.syncFolder(FileSystem.parent(of: path), on: disk) }
  }

  private static func writeAndSync(
    _ bytes: [UInt8], to path: String, on disk: (any PlainDisk)?
  ) throws(LocalStoreError) {
    try FileSystem.remove(path, on: disk)
    try disk?.will(.make(path))
    guard let file = FileDescriptor(opening: path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600) else {
      throw LocalStoreError(errorNumber: errno, "make \(path)")
    }
    guard fchmod(file.number, 0o600) == 0 else { throw LocalStoreError(errorNumber: errno, "make \(path)") }
    try disk?.will(.write(path, bytes))
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file.number, $0.baseAddress?.advanced(by: written), bytes.count - written)
      }
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw LocalStoreError(errorNumber: errno, "write \(path)") }
      written += count
    }
    try disk?.will(.sync(path))
    guard fsync(file.number) == 0 else { throw LocalStoreError(errorNumber: errno, "sync \(path)") }
  }
}
