package import Model

/// Accounts, sessions, one-time codes and the counters of their limits, as a store keeps them.
///
/// A store only remembers: every rule stands in `Authentication`. No secret comes here, only keyed hashes of 32 bytes. All
/// functions throw `StorageError`, and what they wrote stays or goes with the transaction.
package protocol AccountRecords {
  /// Whether this transaction may write.
  var isWritable: Bool { get }

  // One-time codes.

  func insertVerification(_ verification: VerificationRecord) throws(StorageError)
  func verification(_ id: String) throws(StorageError) -> VerificationRecord?
  /// Adds one to the tries, unless there were `limit` already. Says whether it did; false too where there is no such id.
  func countTry(verification id: String, limit: Int) throws(StorageError) -> Bool
  func markVerificationUsed(_ id: String, at time: Timestamp) throws(StorageError)
  /// The latest `resendAt` of the codes made for `phone` up to `time` and not used; nil without one.
  func latestResend(phone: String, upTo time: Timestamp) throws(StorageError) -> Timestamp?

  // Counters.

  /// The counts under `key` that began within `range`, oldest first.
  func rateCounts(key: [UInt8], within range: Range<Timestamp>) throws(StorageError) -> [RateCount]
  /// Adds one to the count under `key` that began at `start`, or begins it. It may be removed from `expiresAt` on.
  func addToRateCount(key: [UInt8], start: Timestamp, expiresAt: Timestamp) throws(StorageError)

  // Accounts.

  func account(_ id: AccountID) throws(StorageError) -> AccountRecord?
  func account(phone: String) throws(StorageError) -> AccountRecord?
  func insertAccount(_ account: AccountRecord) throws(StorageError)

  // Sessions.

  func insertSession(_ session: SessionRecord) throws(StorageError)
  func session(_ id: SessionID) throws(StorageError) -> SessionRecord?
  func session(alertKeyHash: [UInt8]) throws(StorageError) -> SessionRecord?
  /// Up to `limit` sessions of the account whose alert key lives, newest first.
  func livingSessions(of account: AccountID, limit: Int) throws(StorageError) -> [SessionSummary]
  /// Ends the tokens, and the alert key with them where asked. An end that was set before stands.
  func endSession(_ id: SessionID, at time: Timestamp, endsAlertKey: Bool) throws(StorageError)

  // The pairs of tokens of a session, one a generation.

  func insertTokens(_ tokens: TokenRecord) throws(StorageError)
  func tokens(accessHash: [UInt8]) throws(StorageError) -> TokenRecord?
  func tokens(refreshHash: [UInt8]) throws(StorageError) -> TokenRecord?
  func tokens(session: SessionID, generation: Int64) throws(StorageError) -> TokenRecord?
  /// Replaces the four times of the row with this session and generation; the rest never changes.
  func updateTimes(of tokens: TokenRecord) throws(StorageError)

  // Housekeeping. Each removes at most `limit` rows and says how many.

  func removeVerifications(expiredBefore time: Timestamp, limit: Int) throws(StorageError) -> Int
  func removeRateCounts(expiredBefore time: Timestamp, limit: Int) throws(StorageError) -> Int
  /// Pairs that were replaced before `replaced` by one that was used, or whose refresh token expired before `expired`.
  func removeTokens(
    replacedBefore replaced: Timestamp, expiredBefore expired: Timestamp, limit: Int
  ) throws(StorageError) -> Int
  /// Sessions whose tokens and alert key were both ended before `time`, with their tokens.
  func removeSessions(endedBefore time: Timestamp, limit: Int) throws(StorageError) -> Int
}

/// The kind of thing that `SessionID` names: one sign-in of one device. It has no values.
package enum SessionFamily {}
/// The id of a session.
package typealias SessionID = Identifier<SessionFamily>

/// A person, by their telephone number.
package struct AccountRecord: Hashable, Sendable {
  package var id: AccountID
  /// E.164; one account for each.
  package var phone: String
  /// Names one unbroken history, see `SyncResponse.epoch`.
  package var epoch: String
  package var createdAt: Timestamp

  package init(id: AccountID, phone: String, epoch: String, createdAt: Timestamp) {
    self.id = id
    self.phone = phone
    self.epoch = epoch
    self.createdAt = createdAt
  }
}

/// A one-time code that was sent.
package struct VerificationRecord: Hashable, Sendable {
  package var id: String
  /// E.164.
  package var phone: String
  /// Of the code together with `id`.
  package var codeHash: [UInt8]
  package var createdAt: Timestamp
  package var resendAt: Timestamp
  package var expiresAt: Timestamp
  package var tries: Int
  package var usedAt: Timestamp?

  package init(
    id: String, phone: String, codeHash: [UInt8], createdAt: Timestamp, resendAt: Timestamp, expiresAt: Timestamp,
    tries: Int = 0, usedAt: Timestamp? = nil
  ) {
    self.id = id
    self.phone = phone
    self.codeHash = codeHash
    self.createdAt = createdAt
    self.resendAt = resendAt
    self.expiresAt = expiresAt
    self.tries = tries
    self.usedAt = usedAt
  }
}

/// How many were counted in one stretch of time.
package struct RateCount: Hashable, Sendable {
  package var start: Timestamp
  package var count: Int

  package init(start: Timestamp, count: Int) {
    self.start = start
    self.count = count
  }
}

/// One sign-in of one device, for as long as its tokens or its alert key live.
package struct SessionRecord: Hashable, Sendable {
  package var id: SessionID
  package var accountID: AccountID
  /// As the person's device calls itself.
  package var deviceName: String
  package var alertKeyHash: [UInt8]
  package var createdAt: Timestamp
  /// When its tokens were revoked: by sign-out, or because a replaced one was used again.
  package var endedAt: Timestamp?
  package var alertKeyEndedAt: Timestamp?

  package init(
    id: SessionID, accountID: AccountID, deviceName: String, alertKeyHash: [UInt8], createdAt: Timestamp,
    endedAt: Timestamp? = nil, alertKeyEndedAt: Timestamp? = nil
  ) {
    self.id = id
    self.accountID = accountID
    self.deviceName = deviceName
    self.alertKeyHash = alertKeyHash
    self.createdAt = createdAt
    self.endedAt = endedAt
    self.alertKeyEndedAt = alertKeyEndedAt
  }
}

/// A session with what its tokens tell.
package struct SessionSummary: Hashable, Sendable {
  package var session: SessionRecord
  /// When one of its tokens was last used for the first time, or replaced; nil where none was.
  package var lastSeenAt: Timestamp?
  /// When its newest refresh token expires; nil where it has none any more.
  package var refreshExpiresAt: Timestamp?

  package init(session: SessionRecord, lastSeenAt: Timestamp?, refreshExpiresAt: Timestamp?) {
    self.session = session
    self.lastSeenAt = lastSeenAt
    self.refreshExpiresAt = refreshExpiresAt
  }
}

/// An access token and the refresh token that came with it.
package struct TokenRecord: Hashable, Sendable {
  package var sessionID: SessionID
  /// Counts the pairs of a session from 1; the pair of the highest generation is the living one.
  package var generation: Int64
  package var accessHash: [UInt8]
  package var refreshHash: [UInt8]
  /// What went into the making of this pair besides its predecessor and the server's key.
  package var salt: [UInt8]
  package var accessExpiresAt: Timestamp
  package var refreshExpiresAt: Timestamp
  /// When either token was first seen in use.
  package var firstUsedAt: Timestamp?
  /// When the next generation was made.
  package var replacedAt: Timestamp?

  package init(
    sessionID: SessionID, generation: Int64, accessHash: [UInt8], refreshHash: [UInt8], salt: [UInt8],
    accessExpiresAt: Timestamp, refreshExpiresAt: Timestamp, firstUsedAt: Timestamp? = nil,
    replacedAt: Timestamp? = nil
  ) {
    self.sessionID = sessionID
    self.generation = generation
    self.accessHash = accessHash
    self.refreshHash = refreshHash
    self.salt = salt
    self.accessExpiresAt = accessExpiresAt
    self.refreshExpiresAt = refreshExpiresAt
    self.firstUsedAt = firstUsedAt
    self.replacedAt = replacedAt
  }
}
