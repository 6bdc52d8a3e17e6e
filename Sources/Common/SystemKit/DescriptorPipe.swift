import CLinux
import Glibc

/// Both ends of a pipe, close-on-exec.
package struct DescriptorPipe: ~Copyable, Sendable {
  package let readEnd: FileDescriptor
  package let writeEnd: FileDescriptor

  /// Nil and `errno` where no descriptor is left.
  package init?(isBlocking: Bool = true) {
    var ends: [Int32] = [-1, -1]
    guard lifesignal_pipe(&ends) == 0, let readEnd = FileDescriptor(owning: ends[0]),
      let writeEnd = FileDescriptor(owning: ends[1])
    else { return nil }
    self.readEnd = readEnd
    self.writeEnd = writeEnd
    guard !isBlocking else { return }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
  }
}
