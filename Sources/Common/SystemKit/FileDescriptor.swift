package import Glibc

/// A file descriptor with one owner. It is closed exactly once, when the value's life ends.
///
/// The compiler refuses a second owner, and so a second `close`: that would close whatever has got the number meanwhile.
///
/// ```swift
/// guard let file = FileDescriptor(opening: path, O_RDONLY) else { throw failure(errno) }
/// fsync(file.number)
/// ```
package struct FileDescriptor: ~Copyable, Sendable {
  /// For system calls during the value's life. Nobody may close it or keep it for longer.
  package let number: Int32

  /// Takes over what a system call returned. Nil where that call failed; `errno` stays as the call left it.
  package init?(owning number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  /// open(2), always with `O_CLOEXEC`. Nil and `errno` where it fails.
  package init?(opening path: String, _ flags: Int32, permissions: mode_t = 0) {
    self.init(owning: open(path, flags | O_CLOEXEC, permissions))
  }

  deinit {
    // An error path reads `errno` after the values of its scope are gone.
    let error = errno
    _ = Glibc.close(number)
    errno = error
  }

  /// Gives the descriptor to an owner outside of Swift, which closes it from now on.
  package consuming func handOver() -> Int32 {
    let number = number
    discard self
    return number
  }

  /// Ends the value's life here.
  package consuming func close() {}

  /// A second descriptor of the same open file, close-on-exec. Nil and `errno` where none is left.
  package func duplicate() -> FileDescriptor? {
    FileDescriptor(owning: fcntl(number, F_DUPFD_CLOEXEC, 0))
  }

  /// What can be read now, at most `count` bytes; empty where there is nothing.
  package func read(upTo count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, Glibc.read(number, buffer.baseAddress, count))
    }
  }
}
