package import LocalStore

/// What the shell is to do, in this order.
package enum SyncCommand: Hashable, Sendable {
  case send(TransportRequest)
  /// Drop this request or stream; nothing more is to be told of it.
  case cancel(RequestID)
  /// Tell `.timer` at this reading of the monotonic clock, and forget the time named before. Nil: no timer.
  case wake(atMonotonicMilliseconds: Int64?)
  /// The engine has ended: nothing is in flight, and further events change nothing.
  case finish(SyncReport)
  /// The store failed. Nothing is lost by it, and the engine tries again by itself; for the log.
  case storeFailed(LocalStoreError)
}

/// What a run did.
package struct SyncReport: Hashable, Sendable {
  /// Items that the server answered as applied or duplicate.
  package var pushed: Int
  /// Changes that came.
  package var pulled: Int
  /// Items still queued and not parked.
  package var pending: Int
  /// Items parked on this device, whenever that was.
  package var parked: Int
  /// Nil where all was sent and fetched.
  package var error: SyncFailure?

  package init(pushed: Int = 0, pulled: Int = 0, pending: Int = 0, parked: Int = 0, error: SyncFailure? = nil) {
    self.pushed = pushed
    self.pulled = pulled
    self.pending = pending
    self.parked = parked
    self.error = error
  }
}
