import Model

/// How long expired sign-in data is kept, and what stands in inboxes.
enum AuthenticationHousekeeping {
  /// How long an expired code is kept, so that it is reported as expired instead of wrong.
  static let verificationRetentionMilliseconds: Int64 = 3_600_000
  /// How long an ended session is kept, so that it is reported as revoked instead of unknown.
  static let sessionRetentionMilliseconds: Int64 = 7 * 86_400_000

  static func expiry(_ limits: AuthenticationLimits, at now: Timestamp) -> Expiry {
    Expiry(
      codes: now.advanced(byMilliseconds: -verificationRetentionMilliseconds), rateCounts: now,
      replacedTokens: now.advanced(byMilliseconds: -limits.replacedTokenRetentionMilliseconds), expiredTokens: now,
      endedSessions: now.advanced(byMilliseconds: -sessionRetentionMilliseconds),
      // As long as their pages.
      endedInbox: now.advanced(byMilliseconds: -PageVisitor.retentionMilliseconds))
  }
}

extension ServerCore {
  /// Removes expired codes, counts, tokens, sessions and alerts in inboxes, at most `limit` rows of each kind, in one transaction. True if there may
  /// be more: call again, after other requests had a turn. Once an hour is often enough.
  package func removeExpired(
    limit: Int = 500, at moment: ServerMoment, in store: any ServerStore
  ) throws -> Bool {
    let expiry = AuthenticationHousekeeping.expiry(configuration.authentication, at: moment.now)
    return try store.write { try $0.removeExpired(expiry, limit: limit) } >= limit
  }
}
