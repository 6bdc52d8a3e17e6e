// Sending ahead: the exchange that follows a routine one is sent before the answer to that one is applied, so that the server works on
// the one while the device writes the other. It is a guess. It counts if the planner then wants just that exchange.

extension SyncPlanner {
  /// Whether the exchange after this one, which was just answered, may be sent ahead.
  ///
  /// Only where it is likely to be the same once more, on a quick path whose exchanges have their full size, and while nobody needs help:
  /// an alert finds no more on its way than it would without.
  func maySendAhead(of exchange: Exchange) -> Bool {
    guard call?.call.exchange == exchange, call?.isStale == false, overtaken == nil else { return false }
    guard pace.isQuick, pace.isFull, !isUrgent, !isStopping, endingFailure == nil else { return false }
    switch exchange.purpose {
    case .push(.routine): return routine.limits.isFullyGrown && !exchange.limits.isSingleItem
    case .pull(isUrgent: false): return pull.failures == 0
    case .push(.emergency), .pull(isUrgent: true), .probe: return false
    }
  }

  /// The call that begins now was sent ahead, at this time.
  mutating func wasSentAhead(at milliseconds: Int64) {
    call?.startedAtMilliseconds = milliseconds
    call?.latestAttemptMilliseconds = milliseconds
  }
}
