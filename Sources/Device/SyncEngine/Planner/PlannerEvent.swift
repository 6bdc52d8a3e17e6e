package import LocalStore

/// An event for the planner: the meaning of an answer, not its content.
package enum PlannerEvent: Hashable, Sendable {
  case start(Situation)
  /// Something was queued, or an attempt was requested.
  case localWork
  case networkChanged
  case timer
  case endpointsChanged(count: Int)
  /// A sign-in or a sign-out replaced the session.
  case sessionReplaced
  case exchange(ExchangeOutcome)
  /// The outcome of the routine exchange that the alert in flight overtook.
  case overtaken(ExchangeOutcome)
  case refresh(RefreshOutcome)
  /// One of two attempts of the emergency in flight failed; the other continues.
  case attemptFailed
  /// The peer of the emergency in flight sent or acknowledged a byte at this time.
  case progress(atMonotonicMilliseconds: Int64)
  case stream(StreamOutcome)
  /// The store committed.
  case storeSucceeded
  case storeFailed
  case stop

  /// The outcome of the exchange in flight.
  package enum ExchangeOutcome: Hashable, Sendable {
    case accepted(Accepted)
    case failed(SyncFailure, retryAfterMilliseconds: Int64?, items: Int, bytes: Int)
    /// `isOurs`: the answer came from our server.
    case tooLarge(SyncFailure, isOurs: Bool, items: Int, bytes: Int)
    /// Our server refused the whole request as malformed.
    case rejected(SyncFailure, items: Int, bytes: Int)
    /// Our server refused the credentials.
    case unauthorized(SyncFailure)
    /// It was not sent, or its answer cannot be used. It has no effect.
    case abandoned
  }

  package struct Accepted: Hashable, Sendable {
    /// How many items were sent.
    package var items: Int
    /// How many of them have a final result.
    package var answered: Int
    /// The server has more changes, or the pull must restart.
    package var hasMore: Bool
    /// The answer had no changes but says that more remain.
    package var isStuck: Bool
    /// The server was restored: pull from the start.
    package var isRestart: Bool
    /// The server takes some of the items only after this delay.
    package var retryAfterMilliseconds: Int64?
    /// The size of the request's body; nil if unknown.
    package var bytes: Int?
    /// The size of the answer's body and the number of its changes; nil if unknown.
    package var answerBytes: Int?
    package var changes: Int?
    /// How long it waited here for an alert to go first.
    package var heldMilliseconds: Int64 = 0

    /// Whether it brought changes, or took items for good. Of items that wait for further changes the same answer may come again.
    var isProgress: Bool { changes ?? 0 > 0 || answered > 0 && !hasMore && !isRestart }

    package init(
      items: Int, answered: Int, hasMore: Bool = false, isStuck: Bool = false, isRestart: Bool = false,
      retryAfterMilliseconds: Int64? = nil, bytes: Int? = nil, answerBytes: Int? = nil,
      changes: Int? = nil
    ) {
      self.items = items
      self.answered = answered
      self.hasMore = hasMore
      self.isStuck = isStuck
      self.isRestart = isRestart
      self.retryAfterMilliseconds = retryAfterMilliseconds
      self.bytes = bytes
      self.answerBytes = answerBytes
      self.changes = changes
    }
  }

  package enum RefreshOutcome: Hashable, Sendable {
    case refreshed
    /// Our server's typed answer: the session has expired.
    case refused(SyncFailure)
    /// Another session replaced this one.
    case abandoned
    /// The outcome is unknown: retry with the same refresh token.
    case failed(SyncFailure, retryAfterMilliseconds: Int64?)
  }

  package enum StreamOutcome: Hashable, Sendable {
    case opened
    case heartbeat
    case changed
    /// The period over which the server wants its streams to reconnect if they break.
    case spread(milliseconds: Int64)
    case unauthorized(SyncFailure)
    case ended(SyncFailure, retryAfterMilliseconds: Int64?)
  }
}

/// What the coordinator records in the store after an event, before the planner plans again.
package enum StoreAction: Hashable, Sendable {
  /// Records a failure of the exchange that was in flight; a refresh counts for the routine lane.
  case recordFailure(SyncFailure, delayMilliseconds: Int64)
  /// Parks the only item of the exchange that was in flight.
  case park(SyncFailure)
  /// Cancels a call that took too long. Its failure is recorded next.
  case cancelCall
}

/// What the planner wants the coordinator to do now.
package enum PlannerAction: Hashable, Sendable {
  case start(Call)
  /// Starts this alert beside the routine exchange in flight, which goes on.
  case overtake(Exchange)
  /// Cancels the exchange that was overtaken, and ignores its outcome.
  case cancelOvertaken
  /// Sends the bytes of the emergency in flight again on a fresh connection; replaces the newest attempt if there are two.
  case startAttempt(replacesNewest: Bool)
  /// Cancels the call in flight and ignores its outcome. An overtaken exchange then is the call in flight.
  case cancelCall
  /// Opens the event stream, and asks for heartbeats this far apart.
  case openStream(Endpoint, heartbeatSeconds: Int)
  case cancelStream
  case wake(atMonotonicMilliseconds: Int64?)
  case finish(SyncFailure?)
}
