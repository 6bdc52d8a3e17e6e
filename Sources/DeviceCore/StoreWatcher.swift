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

  private let inotify: Int32
  private let interruption: (read: Int32, write: Int32)

  /// Nil where the folder cannot be watched.
  package init?(_ home: HomeDirectory) {
    inotify = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    var ends: [Int32] = [-1, -1]
    _ = pipe(&ends)
    interruption = (ends[0], ends[1])
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ATTRIB)
    guard inotify >= 0, ends[0] >= 0, inotify_add_watch(inotify, home.path, events) >= 0 else { return nil }
  }

  deinit {
    for descriptor in [inotify, interruption.read, interruption.write] where descriptor >= 0 {
      _ = close(descriptor)
    }
  }

  /// Blocks until something changed, `interrupt()` was called or the time is over; without a limit where nil.
  package func wait(milliseconds: Int64?) -> Event {
    var waiting = [
      pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption.read, events: Int16(POLLIN), revents: 0),
    ]
    let limit = milliseconds.map { Int32(clamping: max(0, $0)) } ?? -1
    let count = poll(&waiting, nfds_t(waiting.count), limit)
    if waiting[1].revents != 0 {
      drain(interruption.read)
      return .interrupted
    }
    if count == 0 { return .timeout }
    drain()
    return .changed
  }

  /// Readable when something changed; for a loop that waits for other things too and then calls `drain()`.
  package var readableDescriptor: Int32 { inotify }

  /// Takes note of what changed, so that only later changes are told.
  package func drain() { drain(inotify) }

  /// Makes the present or the next `wait` return.
  package func interrupt() {
    var byte: UInt8 = 0
    _ = write(interruption.write, &byte, 1)
  }

  private func drain(_ descriptor: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(descriptor, &buffer, buffer.count) > 0 {}
  }
}
