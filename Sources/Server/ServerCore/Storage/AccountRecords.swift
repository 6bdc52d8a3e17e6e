package import Model

/// Accounts, and the removal of what nobody needs any more.
///
/// A store only remembers: every rule stands in `Authentication`. It never sees a secret, only keyed hashes of 32 bytes. All
/// functions throw `StorageError`, and what they wrote stays or goes with the transaction.
package protocol AccountRecords {
  func account(_ id: AccountID) throws(StorageError) -> AccountRecord?
  /// Removes at most `limit` rows of each kind that `expiry` names, and says how many in all. Calls with the same `expiry` are a round, until
  /// one removes less than `limit`: what is added meanwhile may wait for the next round.
  func removeExpired(_ expiry: Expiry, limit: Int) throws(StorageError) -> Int
}

/// What is old enough to be removed.
package struct Expiry: Sendable, Hashable {
  /// One-time codes that expired before this.
  package var codes: Timestamp
  /// Counts of a rate limit, and buckets, that say nothing from before this on.
  package var rateCounts: Timestamp
  /// Pairs of tokens that were replaced before this by one that was used.
  package var replacedTokens: Timestamp
  /// Pairs whose refresh token expired before this.
  package var expiredTokens: Timestamp
  /// Sessions whose tokens and alert key were both ended before this, with their tokens.
  package var endedSessions: Timestamp
  /// Alerts in inboxes that ended before this.
  package var endedInbox: Timestamp

  package init(
    codes: Timestamp, rateCounts: Timestamp, replacedTokens: Timestamp, expiredTokens: Timestamp,
    endedSessions: Timestamp, endedInbox: Timestamp
  ) {
    self.endedInbox = endedInbox
    self.codes = codes
    self.rateCounts = rateCounts
    self.replacedTokens = replacedTokens
    self.expiredTokens = expiredTokens
    self.endedSessions = endedSessions
  }
}

/// What a `SessionID` names: one sign-in of one device. It has no values.
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
  /// Nil if the person never told their name.
  package var profile: Profile?

  package init(id: AccountID, phone: String, epoch: String, createdAt: Timestamp, profile: Profile? = nil) {
    self.profile = profile
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

/// One sign-in of one device, for as long as its tokens or its alert key are valid.
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
  /// Counts the pairs of a session from 1; the pair of the highest generation is the valid one.
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
