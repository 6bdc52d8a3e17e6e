import Model
import Wire

/// The bounds of the queue of one-time codes: a lane of its own, so that sign-ins and calls for help do not wait for each other.
package struct CodePolicy: Sendable {
  /// How many codes are claimed at once, after the messages of alerts.
  package var claimLimit = 8
  /// How many codes may be on their way to the gateway.
  package var inFlightLimit = 32
  /// An attempt must end within this; well under the lease.
  package var attemptTimeoutMilliseconds = 15_000
  /// A claimed code may be claimed again after this: the process that had it is taken for dead.
  package var leaseMilliseconds: Int64 = 60_000
  /// The shortest time between two attempts.
  package var retryDelayMilliseconds: Int64 = 1000

  package init() {}

  /// Somebody waits with the telephone in their hand, and the code is valid for minutes.
  static let backoff = Backoff(
    baseMilliseconds: 1000, capMilliseconds: 30_000, retryAfterBoundMilliseconds: 5 * 60_000)

  /// Nothing waits longer than this for its next attempt or the end of its lease: what would was written before the clock was set back.
  var longestWaitMilliseconds: Int64 { max(leaseMilliseconds, Self.backoff.longestDelayMilliseconds) }
}
