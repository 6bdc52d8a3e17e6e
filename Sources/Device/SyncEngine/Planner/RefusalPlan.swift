import LocalStore
import Wire

/// How often alerts are tried that the server refuses because of their credentials. They are never given up.
///
/// A server that does not know this device may be the wrong one, for a while: for an hour an alert is tried there as anywhere, and then
/// every few minutes. Where the server says that the session was ended, only a new sign-in helps, which tries all at once.
struct RefusalPlan: Hashable, Sendable {
  private var sinceMilliseconds: Int64?

  /// Whether the last answer to an alert was a refusal.
  var isRefused: Bool { sinceMilliseconds != nil }

  static let unknownPeriod: Int64 = 60 * 60_000
  static let unknownCap: Int64 = 5 * 60_000
  static let revokedPeriod: Int64 = 10 * 60_000
  static let revokedCap: Int64 = 60 * 60_000

  /// The backoff after a further refusal.
  mutating func refused(_ failure: SyncFailure, now: Int64) -> Backoff {
    let since = sinceMilliseconds ?? now
    sinceMilliseconds = since
    let period = failure.isRevoked ? Self.revokedPeriod : Self.unknownPeriod
    guard now - since >= period else { return .emergency }
    let cap = min(failure.isRevoked ? Self.revokedCap : Self.unknownCap, (now - since) / 4)
    return Backoff(
      baseMilliseconds: Backoff.emergency.baseMilliseconds, capMilliseconds: cap,
      retryAfterBoundMilliseconds: Backoff.emergency.retryAfterBoundMilliseconds)
  }
}
