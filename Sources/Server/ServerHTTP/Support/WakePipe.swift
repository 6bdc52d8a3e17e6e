import Glibc
import SystemKit

/// Wakes a thread that waits in `poll`: a pipe, of which any number of writes are one wake-up.
final class WakePipe: Sendable {
  private let pipe: DescriptorPipe

  /// Nil where the process has no descriptor left.
  init?() {
    guard let pipe = DescriptorPipe(isBlocking: false) else { return nil }
    self.pipe = pipe
  }

  /// Readable while a wake-up waits. Valid for as long as this object is.
  var readDescriptor: Int32 { pipe.readEnd.number }

  func wakeUp() {
    var byte: UInt8 = 0
    // A full pipe wakes as well as one more byte in it.
    _ = write(pipe.writeEnd.number, &byte, 1)
  }

  /// Takes the wake-ups that have come.
  func drain() {
    var bytes = [UInt8](repeating: 0, count: 64)
    while read(readDescriptor, &bytes, bytes.count) > 0 {}
  }

  /// Waits for a wake-up; false where the time passed without one.
  func wait(timeoutMilliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: readDescriptor, events: Int16(POLLIN), revents: 0)
    let deadline = monotonicMilliseconds() + Int64(timeoutMilliseconds)
    while true {
      let left = max(0, deadline - monotonicMilliseconds())
      let count = poll(&descriptor, 1, Int32(left))
      if count > 0 { return true }
      if count == 0 { return false }
      guard errno == EINTR else { return false }
    }
  }
}

/// Milliseconds since some fixed point of this boot.
func monotonicMilliseconds() -> Int64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
}
