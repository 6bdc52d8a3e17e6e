import Glibc
package import LocalStore
import SystemKit

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

  /// What it wakes for.
  package enum Interest: Sendable {
    case changesAndPokes
    case pokes
  }

  private let inotify: FileDescriptor
  private let interruption: DescriptorPipe
  private let interest: Interest

  /// Nil where the folder cannot be watched.
  package init?(_ home: HomeDirectory, for interest: Interest = .changesAndPokes) {
    let events = UInt32(IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ATTRIB)
    guard let inotify = FileDescriptor(owning: inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))),
      let interruption = DescriptorPipe(isBlocking: false),
      inotify_add_watch(inotify.number, home.path, events) >= 0
    else { return nil }
    self.inotify = inotify
    self.interruption = interruption
    self.interest = interest
  }

  /// Blocks until something changed, `interrupt()` was called or the time is over; without a limit where nil.
  package func wait(milliseconds: Int64?) -> Event {
    let end = milliseconds.map { DeviceClock.monotonicMilliseconds() + max(0, $0) }
    while true {
      var waiting = [
        pollfd(fd: inotify.number, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interruption.readEnd.number, events: Int16(POLLIN), revents: 0),
      ]
      let limit = end.map { Int32(clamping: max(0, $0 - DeviceClock.monotonicMilliseconds())) } ?? -1
      let count = poll(&waiting, nfds_t(waiting.count), limit)
      if waiting[1].revents != 0 {
        while !interruption.readEnd.read(upTo: 4096).isEmpty {}
        return .interrupted
      }
      if count == 0 { return .timeout }
      if count < 0 || takeChanges() { return .changed }
    }
  }

  /// Readable when something happened in the folder; for a loop that waits for other things too and then calls `takeChanges()`.
  package var readableDescriptor: Int32 { inotify.number }

  /// Takes note of what happened, so that only what comes later is told. Says whether it was any of its interest.
  @discardableResult
  package func takeChanges() -> Bool {
    var isChanged = false
    while true {
      let bytes = inotify.read(upTo: 4096)
      guard !bytes.isEmpty else { return isChanged }
      if InotifyEvent.parse(bytes).contains(where: isOfInterest) { isChanged = true }
    }
  }

  /// Attributes tell of pokes alone: SQLite sets the owner of the log each time that root opens a store, also to read it, and whoever
  /// wakes by what it did itself never sleeps again.
  private func isOfInterest(_ event: InotifyEvent) -> Bool {
    if event.mask & UInt32(IN_Q_OVERFLOW) != 0 || event.name == HomeDirectory.wakeName { return true }
    return interest == .changesAndPokes && event.mask & UInt32(IN_ATTRIB) == 0
  }

  /// Makes the present or the next `wait` return.
  package func interrupt() {
    var byte: UInt8 = 0
    _ = write(interruption.writeEnd.number, &byte, 1)
  }
}
