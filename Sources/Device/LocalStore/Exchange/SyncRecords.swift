package import Model
package import Wire

/// All that the planner has to know of the store, read in one transaction.
package struct SyncState: Hashable, Sendable {
  package var deviceID: DeviceID
  /// nil asks from the start.
  package var cursor: String?
  package var epoch: String?
  package var session: Session?
  package var emergency: LaneState
  package var routine: LaneState
  package var hasActiveAlert: Bool
  /// Server time minus device time, as last measured.
  package var serverOffsetMilliseconds: Int64?
  package var parked: Int
  /// By the device's clock.
  package var lastSuccessAt: Timestamp?
}

/// What waits in one lane. Rows that stand behind a parked one of their entity are held back and do not count.
package struct LaneState: Hashable, Sendable {
  /// Rows that can be sent; in the emergency lane with the notification requests.
  package var count: Int
  /// How often the lane has failed since it last succeeded.
  package var attempts: Int
  /// By the device's clock; nil where the lane is due at once: nothing failed yet, or a row is newer than the failure.
  package var nextAttemptAt: Timestamp?
  /// The greatest sequence of its rows; 0 where it is empty. A row queued later has a greater one.
  package var newestSequence: Int64

  /// The longest that a lane may wait. A stored time farther off was written by another clock.
  package static let longestWaitMilliseconds: Int64 = 3_600_000

  package init(count: Int = 0, attempts: Int = 0, nextAttemptAt: Timestamp? = nil, newestSequence: Int64 = 0) {
    self.count = count
    self.attempts = attempts
    self.nextAttemptAt = nextAttemptAt
    self.newestSequence = newestSequence
  }

  /// How long until the lane may be tried: 0 where it is due, nil where it is empty.
  ///
  /// A wait of more than an hour means that the wall clock was set back since: then the lane is due.
  package func millisecondsUntilDue(at now: Timestamp) -> Int64? {
    guard count > 0 else { return nil }
    guard let nextAttemptAt else { return 0 }
    let wait = nextAttemptAt.milliseconds(since: now)
    return wait > Self.longestWaitMilliseconds ? 0 : max(0, wait)
  }
}

/// What a batch is to hold.
package struct BatchSelection: Hashable, Sendable {
  package var lane: Lane
  /// Of mutations. An alert's mutation has its notification request with it, uncounted; as many requests again may come
  /// whose alert the server has already.
  package var maximumItems: Int
  /// Of the request's body, roughly. One item always fits.
  package var maximumBytes: Int
  /// The session has expired: only alert mutations and notification requests, and no cursor.
  package var isAlertKeyOnly: Bool

  package init(lane: Lane, maximumItems: Int, maximumBytes: Int, isAlertKeyOnly: Bool = false) {
    self.lane = lane
    self.maximumItems = maximumItems
    self.maximumBytes = maximumBytes
    self.isAlertKeyOnly = isAlertKeyOnly
  }
}

/// The rows of one exchange. May be empty: then the exchange only pulls.
package struct Batch: Hashable, Sendable {
  package var lane: Lane
  package var mutations: [SyncRequestWriter.QueuedMutation]
  package var notifications: [NotificationRequest]
  package var cursor: String?
  package var newestCursor: String?
  package var deviceID: DeviceID
  package var isAlertKeyOnly: Bool
  /// Whose rows and cursor they are; nil where nobody was signed in.
  package var accountID: AccountID?
  /// Of `mutations` and of `notifications`, as the table has them.
  var mutationSequences: [Int64]
  var notificationSequences: [Int64]
  /// What the store held as `unconfirmed` when the batch was made.
  var unconfirmed: String?
  /// The newest row of the queue when the batch was made: what is queued later does not share the batch's failure.
  package var newestSequence: Int64

  package var isEmpty: Bool { mutations.isEmpty && notifications.isEmpty }
}

/// What applying an answer did.
package struct AppliedExchange: Hashable, Sendable {
  /// Queued items that the server took.
  package var pushed: Int
  /// Changes that it brought.
  package var pulled: Int
  /// Items that the server refused, now parked.
  package var parked: Int
  /// Items that the server had taken before, and which stay queued until all changes since are here.
  package var waiting = 0
  /// The changes were not taken in: the server was restored, or the store's cursor has moved or gone since. The next exchange
  /// pulls them from where that is now.
  package var needsPullFromStart: Bool
  /// The server has more changes.
  package var hasMore: Bool
}

/// Why an exchange failed.
package struct SyncFailure: Hashable, Sendable, Error {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case offline
    case timeout
    case tls
    /// Something answered that is not our server: a proxy, a portal.
    case notOurServer = "not_our_server"
    case serverError = "server_error"
    case rejectedRequest = "rejected_request"
    case unauthorized
    case rateLimited = "rate_limited"
    case tooLarge = "too_large"
    case notSignedIn = "not_signed_in"
    case notConfigured = "not_configured"
    case cancelled
    case store
  }

  package var kind: Kind
  /// One line for a person.
  package var message: String

  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
