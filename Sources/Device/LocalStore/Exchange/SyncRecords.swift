package import Model
package import Wire

/// Everything that the planner needs to know of the store, read in one transaction.
package struct SyncState: Hashable, Sendable {
  package var deviceID: DeviceID
  /// nil pulls from the start.
  package var cursor: String?
  package var epoch: String?
  package var session: Session?
  package var emergency: LaneState
  package var routine: LaneState
  package var hasActiveAlert: Bool
  /// An alert of somebody else.
  package var hasActiveInboxAlert: Bool
  /// Server time minus device time, as last measured.
  package var serverOffsetMilliseconds: Int64?
  package var parked: Int
  /// By the device's clock.
  package var lastSuccessAt: Timestamp?
}

/// What waits in one lane. Rows behind a parked one of their entity are held back and do not count.
package struct LaneState: Hashable, Sendable {
  /// The number of rows that can be sent; in the emergency lane with the notification requests. Mutations and requests are each counted
  /// up to `countLimit`.
  package var count: Int
  /// How often the lane has failed since it last succeeded.
  package var attempts: Int
  /// By the device's clock; nil if the lane is due now: nothing failed yet, or a row is newer than the failure.
  package var nextAttemptAt: Timestamp?
  /// The greatest sequence of its rows; 0 if it is empty. A row that is queued later has a greater one.
  package var newestSequence: Int64

  /// The planner sends batches of fewer rows, and need not know how many follow.
  package static let countLimit = 1000

  package init(count: Int = 0, attempts: Int = 0, nextAttemptAt: Timestamp? = nil, newestSequence: Int64 = 0) {
    self.count = count
    self.attempts = attempts
    self.nextAttemptAt = nextAttemptAt
    self.newestSequence = newestSequence
  }
}

/// What a batch may contain.
package struct BatchSelection: Hashable, Sendable {
  package var lane: Lane
  /// The number of mutations. The notification request of an alert's mutation does not count; as many requests again may come whose
  /// alert the server has already.
  package var maximumItems: Int
  /// The size of the request's body, roughly. One item always fits.
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

/// The rows of one exchange. If it is empty, the exchange only pulls.
package struct Batch: Hashable, Sendable {
  package var lane: Lane
  package var mutations: [SyncRequestWriter.QueuedMutation]
  package var notifications: [NotificationRequest]
  package var cursor: String?
  package var newestCursor: String?
  package var deviceID: DeviceID
  package var isAlertKeyOnly: Bool
  /// The account of the rows and the cursor; nil if nobody was signed in.
  package var accountID: AccountID?
  /// The sequences of `mutations` and of `notifications`, as the tables have them.
  var mutationSequences: [Int64]
  var notificationSequences: [Int64]
  /// The value of `StateKey.unconfirmed` when the batch was made.
  var unconfirmed: String?
  /// The newest sequence when the batch was made: what is queued later does not share the batch's failure.
  package var newestSequence: Int64

  package var isEmpty: Bool { mutations.isEmpty && notifications.isEmpty }
}

/// What applying an answer did.
package struct AppliedExchange: Hashable, Sendable {
  /// The number of queued items that the server accepted.
  package var pushed: Int
  /// The number of changes that it brought.
  package var pulled: Int
  /// The number of items that the server rejected, now parked.
  package var parked: Int
  /// The number of items that the server had accepted before, and that stay queued until all changes since are here.
  package var waiting = 0
  /// The changes were not applied: the server was restored, or the store's cursor has changed since. The next exchange pulls from the
  /// store's cursor.
  package var needsPullFromStart: Bool
  /// The server has more changes.
  package var hasMore: Bool
}

/// Why an exchange failed.
package struct SyncFailure: Hashable, Sendable, Error {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case offline
    case timeout
    /// The connection ended after it was made.
    case connectionBroken = "connection_broken"
    case tls
    /// Something other than our server answered: a proxy, a captive portal.
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

    /// Whether the server may have what was sent: the answer is missing, or something on the path may have passed it on.
    package var mayHaveArrived: Bool {
      switch self {
      case .timeout, .connectionBroken, .serverError, .cancelled: true
      case .offline, .tls, .notOurServer, .rejectedRequest, .unauthorized, .rateLimited, .tooLarge, .notSignedIn,
        .notConfigured, .store:
        false
      }
    }
  }

  package var kind: Kind
  /// One line for a person.
  package var message: String
  /// With `unauthorized`: our server knows the credentials, and has ended them. Otherwise it may be the wrong server, for a while.
  package var isRevoked: Bool

  package init(_ kind: Kind, _ message: String, isRevoked: Bool = false) {
    self.kind = kind
    self.message = message
    self.isRevoked = isRevoked
  }
}
