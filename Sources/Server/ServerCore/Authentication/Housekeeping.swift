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

/// What housekeeping removed.
package struct RemovedRows: Sendable, Hashable {
  /// Codes, counts, tokens, sessions, and alerts in inboxes.
  package var expired = 0
  /// Rows of alerts that ended long ago.
  package var forgotten = 0
  /// Alerts of which the part was forgotten.
  package var alerts: [ForgottenPart: Int] = [:]
  /// There may be more: call again, after other requests had a turn.
  package var hasMore = false

  package init() {}

  package static func += (all: inout Self, more: Self) {
    all.expired += more.expired
    all.forgotten += more.forgotten
    all.alerts.merge(more.alerts) { $0 + $1 }
    all.hasMore = more.hasMore
  }
}

extension ServerCore {
  /// Removes expired codes, counts, tokens, sessions and alerts in inboxes, and what is no longer kept of alerts that ended long ago: at most
  /// `limit` rows of each kind. Each part is a transaction of its own, so that an alert waits for one at most. Once an hour is often enough.
  package func removeExpired(
    limit: Int = 200, at moment: ServerMoment, in store: any ServerStore
  ) throws -> RemovedRows {
    var removed = RemovedRows()
    let expiry = AuthenticationHousekeeping.expiry(configuration.authentication, at: moment.now)
    removed.expired = try store.write { try $0.removeExpired(expiry, limit: limit) }
    removed.hasMore = removed.expired >= limit
    for (part, end) in configuration.retention.due(at: moment.now) {
      let step = try store.write { try $0.forget(part, ofAlertsEndedBefore: end, limit: limit) }
      removed.forgotten += step.rows
      if step.alerts > 0 { removed.alerts[part] = step.alerts }
      removed.hasMore = removed.hasMore || step.hasMore
    }
    return removed
  }
}
