package import Model

/// Removal of what sign-in left behind and nobody needs any more.
package enum AuthenticationHousekeeping {
  /// For so long an expired code is remembered, so that it is called expired and not wrong.
  static let verificationRetentionMilliseconds: Int64 = 3_600_000
  /// For so long a session that has ended is remembered, so that it is called revoked and not unknown.
  static let sessionRetentionMilliseconds: Int64 = 7 * 86_400_000

  /// Removes expired codes, counters, tokens and sessions, at most `limit` of each, and says how many in all. The shell calls
  /// it within a write transaction now and then; while it removes `limit` or more there may be more to do.
  package static func removeExpired(
    _ records: any AccountRecords, _ limits: AuthenticationLimits, at now: Timestamp, limit: Int
  ) throws(StorageError) -> Int {
    let replacedBefore = now.advanced(byMilliseconds: -limits.replacedTokenRetentionMilliseconds)
    let endedBefore = now.advanced(byMilliseconds: -sessionRetentionMilliseconds)
    let codesBefore = now.advanced(byMilliseconds: -verificationRetentionMilliseconds)
    return try records.removeVerifications(expiredBefore: codesBefore, limit: limit)
      + records.removeRateCounts(expiredBefore: now, limit: limit)
      + records.removeTokens(replacedBefore: replacedBefore, expiredBefore: now, limit: limit)
      + records.removeSessions(endedBefore: endedBefore, limit: limit)
  }
}

extension ServerCore {
  /// Removes what has expired, at most `limit` rows of each kind, in one transaction. True where there may be more: call
  /// again, but let other requests in between. Once an hour is often enough.
  package func removeExpired(
    limit: Int = 500, at moment: ServerMoment, in store: any ServerStore
  ) throws -> Bool {
    try store.write { transaction in
      try AuthenticationHousekeeping.removeExpired(
        transaction, configuration.authentication, at: moment.now, limit: limit) >= limit
    }
  }
}
