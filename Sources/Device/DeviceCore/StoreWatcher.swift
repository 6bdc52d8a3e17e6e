import Glibc
package import LocalStore
import SystemKit

/// Wakes when anybody commits to a home's store, changes its configuration, or pokes its worker. No polling.
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
    /// The same without the stamps of the lease's holder, which would wake that process each time that it has woken.
    case writesAndPokes
    case pokes
    /// The signs of life of the lease's holder.
    case stamps

    /// What to watch of each file.
    ///
    /// The log's bytes change before the commit can be seen; the sender's stamp follows it. Attributes tell of pokes alone: SQLite
    /// sets the owner of the log each time that root opens a store, also to read it, and whoever wakes by what it did itself never
    /// sleeps again.
    fileprivate var events: [String: Int32] {
      switch self {
      case .changesAndPokes: Self.writesAndPokes.events.merging(Self.stamps.events) { $0 | $1 }
      case .writesAndPokes:
        [
          HomeDirectory.databaseName: IN_MODIFY, HomeDirectory.databaseName + "-wal": IN_MODIFY,
          HomeDirectory.configurationName: IN_MODIFY, HomeDirectory.wakeName: IN_MODIFY | IN_ATTRIB,
        ]
      case .pokes: [HomeDirectory.wakeName: IN_MODIFY | IN_ATTRIB]
      case .stamps: [HomeDirectory.senderLockName: IN_MODIFY]
      }
    }
  }

  private let watches: FileWatches
  private let interruption: WakePipe

  /// Nil where the folder cannot be watched.
  package init?(_ home: HomeDirectory, for interest: Interest = .changesAndPokes) {
    guard let watches = FileWatches(of: interest.events, in: home.path), let interruption = WakePipe() else {
      return nil
    }
    self.watches = watches
    self.interruption = interruption
  }

  /// Blocks until something changed, `interrupt()` was called or the time is over; without a limit where nil.
  package func wait(milliseconds: Int64?) -> Event {
    let end = milliseconds.map { DeviceClock.monotonicMilliseconds() + max(0, $0) }
    while true {
      var waiting = [
        pollfd(fd: watches.descriptor, events: Int16(POLLIN), revents: 0),
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

  /// Readable when something happened; for a loop that waits for other things too and then calls `takeChanges()`.
  package var readableDescriptor: Int32 { watches.descriptor }

  /// Takes note of what happened, so that only what comes later is told. Says whether anything changed.
  @discardableResult
  package func takeChanges() -> Bool { watches.take() != .of([]) }

  /// Makes the present or the next `wait` return.
  package func interrupt() {
    interruption.wakeUp()
  }
}
