import Glibc

/// A file descriptor that is closed with the value.
struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  /// Takes over what a system call gave. Throws `system`, with what `purpose` names, where that failed.
  init(_ number: Int32, for purpose: String) throws(SyncWorkerError) {
    self.number = try Self.check(number, for: purpose)
  }

  deinit { close(number) }

  /// `result` of a system call, unless it failed.
  static func check(_ result: Int32, for purpose: String) throws(SyncWorkerError) -> Int32 {
    guard result < 0 else { return result }
    throw SyncWorkerError(.system, "\(purpose) is not possible: \(String(cString: strerror(errno)))")
  }

  /// What can be read now, at most `count` bytes; empty where there is nothing.
  func read(upTo count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = max(0, Glibc.read(number, buffer.baseAddress, count))
    }
  }
}
