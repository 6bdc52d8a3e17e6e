import Wire

/// The planner's fixed times, in milliseconds.
enum PlannerTimes {
  /// A call that an emergency does not wait for is one that has taken so long; what is cancelled is sent again under the
  /// same ids. Where exchanges are known to take longer on this path, it is longer too: see `PathPace`.
  static let shortestPatience: Int64 = 500
  static let longestPatience: Int64 = 3000
  /// A call that is older than this when the network changes is sent again; an emergency is never cancelled by that.
  static let doubtfulAfter: Int64 = 2000
  /// With an alert active the server hears from the device at least every 30 s, the way there included.
  static let supervision: Int64 = 25_000
  /// Without an event stream.
  static let poll: Int64 = 15 * 60_000
  /// An access token that ends sooner is refreshed first.
  static let refreshAhead: Int64 = 60_000
  /// A stream that says nothing for so long is dead, whatever the socket says.
  static let streamSilence = Int64(3 * StreamEvent.heartbeatSeconds * 1000)
  static let streamOpening: Int64 = 30_000
  /// A stream that lived so long was well: the next one is not a retry.
  static let streamWellAfter: Int64 = 60_000
  /// The stream of a device with an active alert is opened again within this, and later within twice as much. Until then the
  /// device asks every 25 s.
  static let urgentStreamSpread: Int64 = 120_000
  /// Routine traffic spreads over so much after a network change.
  static let networkChangeSpread = 1000.0
  /// A call that the transport never ended, beyond its own time-out.
  static let callGrace: Int64 = 10_000
}

/// The bounds of one request in flight.
package struct CallLimits: Hashable, Sendable {
  package var connectTimeoutMilliseconds: Int
  package var totalTimeoutMilliseconds: Int

  /// Doublings beyond this change nothing.
  static let mostDoublings = 4
  private static let longestConnectTimeout = 120_000
  private static let longestTotalTimeout = 300_000

  /// - Parameter doublings: how often the bounds are doubled, because requests timed out: on a slow path a TLS handshake
  ///   alone may take longer than the first bounds allow.
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
