import Model

/// How long what expires is kept: sign-in data, and what stands in inboxes.
enum ExpiryTimes {
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

/// What housekeeping removed.
package struct RemovedRows: Sendable, Hashable {
  /// Codes, counts, tokens, sessions, and alerts in inboxes.
  package var expired = 0
  /// Rows of alerts that ended long ago.
  package var forgotten = 0
  /// Alerts of which the part was forgotten.
  package var alerts: [ForgottenPart: Int] = [:]
  /// There may be more: go on, after other requests had a turn.
  package var hasMore = false

  package init() {}

  package mutating func add(_ more: Self) {
    expired += more.expired
    forgotten += more.forgotten
    alerts.merge(more.alerts) { $0 + $1 }
    hasMore = hasMore || more.hasMore
  }
}

/// A part of a round of housekeeping, done in steps. Each has a transaction of its own: an alert waits for one at most.
package struct HousekeepingPart: Sendable {
  /// Does the next step, and returns what it removed.
  package let run: @Sendable (any ServerTransaction) throws -> RemovedRows
}

extension ServerCore {
  /// A round: what removes expired codes, counts, tokens, sessions and alerts in inboxes, and what is no longer kept of alerts that ended long
  /// ago, as of `moment`; with each step at most `limit` rows of each kind. Once an hour is often enough.
  package func housekeeping(limit: Int = 200, at moment: ServerMoment) -> [HousekeepingPart] {
    let expiry = ExpiryTimes.expiry(configuration.authentication, at: moment.now)
    let expired = HousekeepingPart { transaction in
      var removed = RemovedRows()
      removed.expired = try transaction.removeExpired(expiry, limit: limit)
      removed.hasMore = removed.expired >= limit
      return removed
    }
    let forgotten = configuration.retention.due(at: moment.now).map { part, end in
      HousekeepingPart { transaction in
        var removed = RemovedRows()
        let step = try transaction.forget(part, ofAlertsEndedBefore: end, limit: limit)
        removed.forgotten = step.rows
        if step.alerts > 0 { removed.alerts[part] = step.alerts }
        removed.hasMore = step.hasMore
        return removed
      }
    }
    return [expired] + forgotten
  }

  /// Does one step of each part of `housekeeping`.
  package func removeExpired(
    limit: Int = 200, at moment: ServerMoment, in store: any ServerStore
  ) throws -> RemovedRows {
    var removed = RemovedRows()
    for part in housekeeping(limit: limit, at: moment) { removed.add(try store.write(part.run)) }
    return removed
  }
}
