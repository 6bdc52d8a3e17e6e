import Glibc

/// Writing to the descriptors that the program was given.
enum Descriptor {
  static let input: Int32 = 0
  static let output: Int32 = 1
  static let error: Int32 = 2

  /// Opens `/dev/null` in place of a standard descriptor that the caller closed; otherwise the store's files would get
  /// its number, and a message would be written into them.
  static func fillClosedStandardDescriptors() {
    for descriptor in input...error where fcntl(descriptor, F_GETFD) == -1 {
      // The lowest free number is this one, since those below are open.
      _ = open("/dev/null", descriptor == input ? O_RDONLY : O_WRONLY)
    }
  }

  /// Writes all of `bytes`. Returns 0, or the `errno` of the write that failed.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    var rest = bytes[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written >= 0 {
        rest = rest.dropFirst(written)
      } else if errno == EAGAIN {
        // Somebody made the descriptor non-blocking: wait until it takes more.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&waiting, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }
}
