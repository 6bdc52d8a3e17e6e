import Glibc

/// Wakes a thread that waits in `poll`, by a pipe. Any number of writes make one wake-up.
package final class WakePipe: Sendable {
  private let pipe: DescriptorPipe

  /// Nil and `errno` if the process has no descriptor left.
  package init?() {
    guard let pipe = DescriptorPipe(isBlocking: false) else { return nil }
    self.pipe = pipe
  }

  /// Readable while a wake-up waits. Valid for as long as this object is.
  package var descriptor: Int32 { pipe.readEnd.number }

  /// May be called from any thread and from a signal handler: it only calls write(2).
  package func wakeUp() {
    var byte: UInt8 = 0
    // A full pipe wakes the reader too.
    _ = write(pipe.writeEnd.number, &byte, 1)
  }

  /// Consumes pending wake-ups.
  package func drain() {
    while !pipe.readEnd.read(upTo: 4096).isEmpty {}
  }

  /// Waits for a wake-up without consuming it; false if the deadline passed without one.
  package func wait(until deadline: Deadline) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    while true {
      let count = poll(&waiting, 1, Int32(clamping: deadline.remainingMilliseconds))
      if count > 0 { return true }
      guard count < 0, errno == EINTR else { return false }
    }
  }
}
