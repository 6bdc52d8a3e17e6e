package import LocalStore

/// Whether the process that speaks to the server for this device moves.
package enum SenderHealth: Hashable, Sendable {
  /// Nobody holds the sender's lease.
  case absent
  case moving
  /// It holds the lease and has not moved for so long, as far as that is known.
  case standingStill(processID: Int32, milliseconds: Int64?)

  /// How long the holder has to answer, in milliseconds.
  static let answerLimit: Int64 = 2000
  private static let askAgainAfter: Int64 = 250

  /// Asks the lease's holder for a sign of life, and waits for it for at most two seconds. It causes no traffic.
  ///
  /// A holder that writes no stamps, as an older program does, counts as moving.
  package static func examine(
    _ home: HomeDirectory, now: () -> Int64 = { DeviceClock.monotonicMilliseconds() }
  ) throws(LocalStoreError) -> SenderHealth {
    guard try SenderLease.isHeld(home) else { return .absent }
    guard let before = SenderStamp.read(home) else { return .moving }
    let watcher = StoreWatcher(home)
    let start = now()
    while now() - start < answerLimit {
      // Again and again: a holder that has just begun may not have heard the first time.
      home.askForStamp()
      // The question is an event itself: it would wake who asks.
      watcher?.takeChanges()
      guard SenderStamp.read(home) == before else { return .moving }
      guard try SenderLease.isHeld(home) else { return .absent }
      guard let watcher else { return before.health(now()) }
      _ = watcher.wait(milliseconds: max(1, min(askAgainAfter, start + answerLimit - now())))
    }
    return SenderStamp.read(home) == before ? before.health(now()) : .moving
  }

  /// `has not moved for 40 s`, or nil where it moves or is not there.
  package var standstill: String? {
    guard case .standingStill(let processID, let milliseconds) = self else { return nil }
    let duration = milliseconds.map { "for \($0 / 1000) s" } ?? "since this device was started"
    return "the sync process (pid \(processID)) has not moved \(duration)"
  }
}

extension SenderStamp {
  fileprivate func health(_ now: Int64) -> SenderHealth {
    .standingStill(processID: processID, milliseconds: age(atMonotonicMilliseconds: now))
  }
}
