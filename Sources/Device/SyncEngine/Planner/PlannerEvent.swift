package import LocalStore

/// What happened, as far as it concerns the planner: what answers meant, not what they said.
package enum PlannerEvent: Hashable, Sendable {
  case start(Situation)
  /// Something was queued, or an attempt is asked for.
  case localWork
  case networkChanged
  case timer
  case endpointsChanged(count: Int)
  /// Another session than before, from a sign-in or a sign-out.
  case sessionReplaced
  case exchange(ExchangeOutcome)
  case refresh(RefreshOutcome)
  /// One of two attempts of the emergency in flight came to nothing; the other goes on.
  case attemptFailed
  /// The peer of the emergency in flight sent or acknowledged something then.
  case progress(atMonotonicMilliseconds: Int64)
  case stream(StreamOutcome)
  /// The store took what it was given.
  case storeSucceeded
  case storeFailed
  case stop

  /// What became of the exchange in flight.
  package enum ExchangeOutcome: Hashable, Sendable {
    case accepted(Accepted)
    case failed(SyncFailure, retryAfterMilliseconds: Int64?, items: Int, bytes: Int)
    /// `isOurs`: our server said so.
    case tooLarge(SyncFailure, isOurs: Bool, items: Int, bytes: Int)
    /// Our server refused the whole request as malformed.
    case rejected(SyncFailure, items: Int, bytes: Int)
    /// Our server refused the credentials.
    case unauthorized(SyncFailure)
    /// It was not sent, or its answer cannot be used: as if it had never been.
    case abandoned
  }

  package struct Accepted: Hashable, Sendable {
    /// Sent with it.
    package var items: Int
    /// Of them, answered for good.
    package var answered: Int
    /// The server has more changes, or has to be asked from the start.
    package var hasMore: Bool
    /// It brought nothing new, and says that there is more.
    package var isStuck: Bool
    /// The server was restored: from the start again.
    package var isRestart: Bool
    /// The server has no room for some of the items before then.
    package var retryAfterMilliseconds: Int64?
    /// Of the request's body; nil: not known.
    package var bytes: Int?
    /// Of the answer's body, and the changes in it; nil: not known.
    package var answerBytes: Int?
    package var changes: Int?

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
    /// By our server's typed answer: the session has expired.
    case refused(SyncFailure)
    /// There is another session meanwhile.
    case abandoned
    /// Nobody knows: the same refresh token is tried again.
    case failed(SyncFailure, retryAfterMilliseconds: Int64?)
  }

  package enum StreamOutcome: Hashable, Sendable {
    case opened
    case heartbeat
    case changed
    /// The server says over how long its streams are to come back, should they break.
    case spread(milliseconds: Int64)
    case unauthorized(SyncFailure)
    case ended(SyncFailure, retryAfterMilliseconds: Int64?)
  }
}

/// What the coordinator does with the store when the planner has heard of an event, before it decides anew.
package enum StoreAction: Hashable, Sendable {
  /// Of the exchange that was in flight; of a refresh: of the routine lane.
  case recordFailure(SyncFailure, delayMilliseconds: Int64)
  /// The one item of the exchange that was in flight.
  case park(SyncFailure)
  /// The call took too long. What is written about it follows.
  case cancelCall
}

/// What the planner wants done now.
package enum PlannerAction: Hashable, Sendable {
  case start(Call)
  /// Once more the same bytes as the emergency in flight, on a fresh connection; where there are two attempts, in place of
  /// the newest.
  case startAttempt(replacesNewest: Bool)
  /// The call in flight; its outcome does not matter any more.
  case cancelCall
  case openStream(Endpoint)
  case cancelStream
  case wake(atMonotonicMilliseconds: Int64?)
  case finish(SyncFailure?)
}
