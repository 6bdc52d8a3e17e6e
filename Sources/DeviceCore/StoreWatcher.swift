import Descriptors
import Glibc
package import LocalStore

/// Wakes when anybody commits to a home's store, or pokes its worker: inotify(7) on the folder. No polling.
///
/// One thread waits; `interrupt()` may be called from any.
package final class StoreWatcher: Sendable {
  package enum Event: Sendable, Equatable {
    /// The store may have changed.
    case changed
    case timeout
    case interrupted
  }

  private let inotify: FileDescriptor
  private let interruption: DescriptorPipe

  /// Nil where the folder cannot be watched.
  package init?(_ home: HomeDirectory) {
    let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ATTRIB)
    guard let inotify = FileDescriptor(owning: inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))),
      let interruption = DescriptorPipe(isBlocking: false),
      inotify_add_watch(inotify.number, home.path, events) >= 0
    else { return nil }
    self.inotify = inotify
    self.interruption = interruption
  }

  /// Blocks until something changed, `interrupt()` was called or the time is over; without a limit where nil.
  package func wait(milliseconds: Int64?) -> Event {
    var waiting = [
      pollfd(fd: inotify.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption.readEnd.number, events: Int16(POLLIN), revents: 0),
    ]
    let limit = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
    let count = poll(&waiting, nfds_t(waiting.count), limit)
    if waiting[1].revents != 0 {
      drain(interruption.readEnd.number)
      return .interrupted
    }
    if count == 0 { return .timeout }
    drain()
    return .changed
  }

  /// Readable when something changed; for a loop that waits for other things too and then calls `drain()`.
  package var readableDescriptor: Int32 { inotify.number }

  /// Takes note of what changed, so that only later changes are told.
  package func drain() { drain(inotify.number) }

  /// Makes the present or the next `wait` return.
  package func interrupt() {
    var byte: UInt8 = 0
    _ = write(interruption.writeEnd.number, &byte, 1)
  }

  private func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &buffer, buffer.count) > 0 {}
  }
}
