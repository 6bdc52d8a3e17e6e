package import Wire

/// What the shell tells the engine.
package enum SyncEvent: Hashable, Sendable {
  /// First of all, once.
  case start
  /// This or another process queued something, or asks for an attempt now.
  case localWork
  /// An address or a route came or went.
  case networkChanged
  /// The time that `SyncCommand.wake` named has come. Telling it early, late or twice does no harm.
  case timer
  /// When the peer of an emergency in flight (`SyncCoordinator.emergencyAttempts`) last sent or acknowledged a byte. Told
  /// before `timer`; where it is not told, the peer counts as silent.
  case progress(atMonotonicMilliseconds: Int64)
  /// The whole answer to a request. To one that was cancelled: ignored.
  case answer(RequestID, HTTPAnswer)
  /// No whole answer, or the end of a stream, however it ended.
  case failure(RequestID, TransportFailure)
  /// A stream's head came: 200 and `text/event-stream`.
  case streamOpened(RequestID)
  case stream(RequestID, StreamEvent)
  /// The stream says over how long the server's streams are to be opened again, should they break.
  case streamSpread(RequestID, milliseconds: Int64)
  case configurationChanged(SyncConfiguration)
  /// End now: requests are cancelled, what is queued stays queued. Answered with `SyncCommand.finish`.
  case stop
}
