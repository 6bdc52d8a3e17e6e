import Glibc
package import LocalStore

/// Whether this device's sync process responds.
package enum SenderHealth: Hashable, Sendable {
  /// Nobody holds the sender's lease.
  case absent
  case moving
  /// A process holds the lease and has not responded for this long, if known.
  case standingStill(processID: Int32, milliseconds: Int64?)

  /// The holder's response timeout, in milliseconds.
  static let answerLimit: Int64 = 2000
  private static let askAgainAfter: Int64 = 250
  /// How often it looks where the kernel has no watch left to tell it.
  private static let unwatchedInterval: Int64 = 20

  /// Pings the lease's holder and waits at most two seconds for its stamp. Causes no network traffic.
  ///
  /// A holder that writes no stamps, such as an older version, counts as moving.
  package static func examine(
    _ home: HomeDirectory, now: () -> Int64 = { DeviceClock.monotonicMilliseconds() },
    watch: (HomeDirectory) -> StoreWatcher? = { StoreWatcher($0, for: .stamps) }
  ) throws(LocalStoreError) -> SenderHealth {
    guard try SenderLease.isHeld(home) else { return .absent }
    guard let before = SenderStamp.read(home) else { return .moving }
    let watcher = watch(home)
    let start = now()
    while now() - start < answerLimit {
      // Repeated: a holder that has just started may miss the first one.
      home.askForStamp()
      guard SenderStamp.read(home) == before else { return .moving }
      guard try SenderLease.isHeld(home) else { return .absent }
      wait(watcher, milliseconds: max(1, min(askAgainAfter, start + answerLimit - now())))
    }
    return SenderStamp.read(home) == before ? before.health(now()) : .moving
  }

  private static func wait(_ watcher: StoreWatcher?, milliseconds: Int64) {
    if let watcher {
      _ = watcher.wait(milliseconds: milliseconds)
    } else {
      _ = poll(nil, 0, Int32(clamping: min(milliseconds, unwatchedInterval)))
    }
  }

  /// The message for a person, such as `has not moved for 40 s`; nil if it moves or is absent.
  package var standstill: String? {
    guard case .standingStill(let processID, let milliseconds) = self else { return nil }
    return DeviceTexts.standstill(processID: processID, milliseconds: milliseconds)
  }
}

extension SenderStamp {
  fileprivate func health(_ now: Int64) -> SenderHealth {
    .standingStill(processID: processID, milliseconds: age(atMonotonicMilliseconds: now))
  }
}
