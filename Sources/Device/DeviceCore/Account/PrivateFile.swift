import Glibc
import SystemKit

/// Small files that only their owner can read.
enum PrivateFile {
  /// Reads at most 64 KiB; nil if the file is missing or unreadable.
  static func read(_ path: String) -> [UInt8]? {
    guard let file = FileDescriptor(opening: path, O_RDONLY) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(file.number, &buffer, buffer.count)
    return count >= 0 ? Array(buffer[..<count]) : nil
  }

  /// Replaces the file atomically; false if that failed.
  @discardableResult
  static func replace(_ path: String, with bytes: [UInt8]) -> Bool {
    let temporary = path + ".new"
    _ = unlink(temporary)
    guard let file = FileDescriptor(opening: temporary, O_WRONLY | O_CREAT | O_EXCL, permissions: 0o600) else {
      return false
    }
    let isWritten = write(file.number, bytes, bytes.count) == bytes.count
    file.close()
    guard isWritten, rename(temporary, path) == 0 else {
      _ = unlink(temporary)
      return false
    }
    return true
  }
}
