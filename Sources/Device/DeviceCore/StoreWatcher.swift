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

  private let inotify: Inotify
  private let interruption: WakePipe
  private let interest: Interest

  /// Nil where the folder cannot be watched.
  package init?(_ home: HomeDirectory, for interest: Interest = .changesAndPokes) {
    guard let inotify = Inotify(), let interruption = WakePipe(),
      inotify.watch(home.path, for: IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_ATTRIB) != nil
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
        pollfd(fd: inotify.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: interruption.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let limit = end.map { Int32(clamping: max(0, $0 - DeviceClock.monotonicMilliseconds())) } ?? -1
      let count = poll(&waiting, nfds_t(waiting.count), limit)
      if waiting[1].revents != 0 {
        interruption.drain()
        return .interrupted
      }
      if count == 0 { return .timeout }
      if count < 0 || takeChanges() { return .changed }
    }
  }

  /// Readable when something happened in the folder; for a loop that waits for other things too and then calls `takeChanges()`.
  package var readableDescriptor: Int32 { inotify.descriptor }

  /// Takes note of what happened, so that only what comes later is told. Says whether it was any of its interest.
  @discardableResult
  package func takeChanges() -> Bool {
    inotify.takeEvents().contains(where: isOfInterest)
  }

  /// Attributes tell of pokes alone: SQLite sets the owner of the log each time that root opens a store, also to read it, and whoever
  /// wakes by what it did itself never sleeps again.
  private func isOfInterest(_ event: InotifyEvent) -> Bool {
    if event.isOverflow || event.name == HomeDirectory.wakeName { return true }
    return interest == .changesAndPokes && event.mask & UInt32(IN_ATTRIB) == 0
  }

  /// Makes the present or the next `wait` return.
  package func interrupt() {
    interruption.wakeUp()
  }
}
