import Wire

/// The planner's fixed times, in milliseconds.
enum PlannerTimes {
  /// The minimum age of a call before an emergency preempts it. A preempted call is sent again under the same ids. The delay
  /// is longer on paths where exchanges take longer: see `PathPace`.
  static let shortestPreemptDelay: Int64 = 500
  static let longestPreemptDelay: Int64 = 3000
  /// A call older than this when the network changes is stale and is sent again. An emergency is never cancelled for it.
  static let staleAfter: Int64 = 2000
  /// While an alert is active the server hears from the device at least every 30 s, network latency included.
  static let supervision: Int64 = 25_000
  /// The polling interval without an event stream.
  static let poll: Int64 = 15 * 60_000
  /// An access token that expires sooner than this is refreshed first.
  static let refreshAhead: Int64 = 60_000
  /// A stream that is silent for this much longer than its heartbeats are apart is dead, even if its socket is open: two beats of a server
  /// that sends one every 25 s.
  static let streamSilence = Int64(2 * StreamEvent.heartbeatSeconds * 1000)
  static let streamOpening: Int64 = 30_000
  /// A stream that lived this long was healthy: opening the next one is not a retry.
  static let streamHealthyAfter: Int64 = 60_000
  /// A device with an active alert reopens its stream within this time, and within twice as much after a failure. Until then it
  /// polls every 25 s.
  static let urgentStreamSpread: Int64 = 120_000
  /// Routine traffic is spread over this time after a network change.
  static let networkChangeSpread = 1000.0
  /// How long after its own timeout a call that the transport never ended is dropped.
  static let callGrace: Int64 = 10_000
}

/// The timeouts and size limits of one request in flight.
package struct CallLimits: Hashable, Sendable {
  package var connectTimeoutMilliseconds: Int
  package var totalTimeoutMilliseconds: Int

  /// Further doublings have no effect.
  static let mostDoublings = 4
  private static let longestConnectTimeout = 120_000
  private static let longestTotalTimeout = 300_000

  /// - Parameter doublings: how many times the timeouts are doubled after earlier timeouts: on a slow path the TLS handshake
  ///   alone may exceed the initial ones.
  package static func of(_ call: Call, doublings: Int = 0) -> Self {
    let first: Self =
      switch call.exchange?.lane {
      case .routine: Self(connectTimeoutMilliseconds: 10_000, totalTimeoutMilliseconds: 60_000)
      case .emergency, nil: Self(connectTimeoutMilliseconds: 8_000, totalTimeoutMilliseconds: 20_000)
      }
    let factor = 1 << min(max(0, doublings), mostDoublings)
    return Self(
      connectTimeoutMilliseconds: min(first.connectTimeoutMilliseconds * factor, longestConnectTimeout),
      totalTimeoutMilliseconds: min(first.totalTimeoutMilliseconds * factor, longestTotalTimeout))
  }
}
