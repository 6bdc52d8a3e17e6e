package import Wire

/// An event that the shell reports to the engine.
package enum SyncEvent: Hashable, Sendable {
  /// Reported first, once.
  case start
  /// This or another process queued something, or requests an attempt now.
  case localWork
  /// Somebody writes to the store or the spool. If nothing else follows, the writer may have been killed before it poked: the coordinator
  /// looks a little later.
  case storeWritten
  /// An address or a route was added or removed.
  case networkChanged
  /// The time set by `SyncCommand.wake` has come. Early, late or repeated events are harmless.
  case timer
  /// When the peer of an emergency in flight (`SyncCoordinator.emergencyAttempts`) last sent or acknowledged a byte. Reported
  /// before `timer`; without it the peer counts as silent.
  case progress(atMonotonicMilliseconds: Int64)
  /// The complete answer to a request. Ignored if the request was cancelled.
  case answer(RequestID, HTTPAnswer)
  /// A request without a complete answer, or the end of a stream for any reason.
  case failure(RequestID, TransportFailure)
  /// A stream's response head arrived: 200 and `text/event-stream`.
  case streamOpened(RequestID)
  case stream(RequestID, StreamEvent)
  /// The stream announced the period over which the server wants streams to reconnect if they break.
  case streamSpread(RequestID, milliseconds: Int64)
  case configurationChanged(SyncConfiguration)
  /// End now: requests are cancelled, and queued items stay queued. Answered with `SyncCommand.finish`.
  case stop
}
