package import LocalStore

/// A command for the shell, to be executed in order.
package enum SyncCommand: Hashable, Sendable {
  case send(TransportRequest)
  /// Cancel this request or stream, and report no more events of it.
  case cancel(RequestID)
  /// Send `.timer` at this monotonic time; replaces the timer set before. Nil: no timer.
  case wake(atMonotonicMilliseconds: Int64?)
  /// The engine has ended: nothing is in flight, and further events are ignored.
  case finish(SyncReport)
  /// The store failed; for the log. Nothing is lost, and the engine retries by itself.
  case storeFailed(LocalStoreError)
}

/// The result of a run.
package struct SyncReport: Hashable, Sendable {
  /// Items that the server answered as applied or duplicate.
  package var pushed: Int
  /// Changes that were received.
  package var pulled: Int
  /// Items still queued and not parked.
  package var pending: Int
  /// Items parked on this device, also by earlier runs.
  package var parked: Int
  /// Nil if everything was sent and fetched.
  package var error: SyncFailure?

  package init(pushed: Int = 0, pulled: Int = 0, pending: Int = 0, parked: Int = 0, error: SyncFailure? = nil) {
    self.pushed = pushed
    self.pulled = pulled
    self.pending = pending
    self.parked = parked
    self.error = error
  }
}
