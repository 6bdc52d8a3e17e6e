/// Many devices, one server, and one outage. Times are virtual, in milliseconds since the run began.
///
/// Devices start over `warmUp`; normal life is measured for `normal`; the server is down for `outage`; the time after it is
/// measured for `after`, long enough for the last idle device to reopen its event stream.
package struct HerdSettings: Hashable, Sendable {
  package var devices = 10_000
  /// The share of devices with an active alert in normal life.
  package var alertShare = 0.02
  package var outageMilliseconds: Int64 = 600_000
  package var seed: UInt64 = 1

  package var warmUpMilliseconds: Int64 = 4_510_000
  package var normalMilliseconds: Int64 = 1_800_000
  package var afterMilliseconds: Int64 = 5_400_000

  /// The mean duration of an alert, exponentially distributed. With the share it determines how many are raised.
  package var alertMilliseconds: Int64 = 3_600_000
  /// The mean time between two contact changes on one device.
  package var contactMilliseconds: Int64 = 2 * 86_400_000
  /// The server's capacity in requests per second, one after the other: ten times what it needs in normal life.
  package var capacityPerSecond = 200.0
  /// A request that would wait longer is answered 503 at once.
  package var maximumWaitMilliseconds: Int64 = 2000
  /// The latency between a device and the server, one way, uniformly distributed.
  package var latencyMilliseconds: ClosedRange<Int64> = 15...150

  /// Whether the server announces over how long its streams should return. Without it the limits must be broken, which proves
  /// that they can be.
  package var announcesSpread = true

  package init() {}

  /// The same for a restart of the server.
  package var restart: Self {
    var settings = self
    settings.outageMilliseconds = 2000
    return settings
  }

  var outageStart: Int64 { warmUpMilliseconds + normalMilliseconds }
  var outageEnd: Int64 { outageStart + outageMilliseconds }
  var end: Int64 { outageEnd + afterMilliseconds }
}

/// The limits for the herd.
package enum HerdBounds {
  /// The ratio of the rate after the outage to the rate before.
  package static let ratio = 2.0
  /// A rate that is harmless to any server, however low its normal rate is.
  package static let smallPerSecond = 20.0
  package static let alertSeconds = 60.0
}
