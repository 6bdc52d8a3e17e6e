import Glibc

/// Small files that only their owner may read.
enum PrivateFile {
  /// At most 64 KiB; nil where there is none or it cannot be read.
  static func read(_ path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    return count >= 0 ? Array(buffer[..<count]) : nil
  }

  /// Replaces the file as a whole. Says whether it did.
  @discardableResult
  static func replace(_ path: String, with bytes: [UInt8]) -> Bool {
    let temporary = path + ".new"
    _ = unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return false }
    let isWritten = write(descriptor, bytes, bytes.count) == bytes.count
    _ = close(descriptor)
    guard isWritten, rename(temporary, path) == 0 else {
      _ = unlink(temporary)
      return false
    }
    return true
  }
}
