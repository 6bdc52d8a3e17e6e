import Wire

/// The planner's fixed times, in milliseconds.
enum PlannerTimes {
  /// An emergency waits no longer for another request in flight; what is cancelled by it is sent again under the same ids.
  static let patienceOfEmergency: Int64 = 2000
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
  /// The stream of a device with an active alert is opened again within this, and later within four times as much.
  static let urgentStreamSpread: Int64 = 60_000
  /// Routine traffic spreads over so much after a network change.
  static let networkChangeSpread = 1000.0
  /// A call that the transport never ended, beyond its own time-out.
  static let callGrace: Int64 = 10_000
}

/// The bounds of one request in flight.
package struct CallLimits: Hashable, Sendable {
  package var connectTimeoutMilliseconds: Int
  package var totalTimeoutMilliseconds: Int

  package static func of(_ call: Call) -> Self {
    switch call.exchange?.lane {
    case .routine: Self(connectTimeoutMilliseconds: 10_000, totalTimeoutMilliseconds: 60_000)
    case .emergency, nil: Self(connectTimeoutMilliseconds: 8_000, totalTimeoutMilliseconds: 20_000)
    }
  }
}
