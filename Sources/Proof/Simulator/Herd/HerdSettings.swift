/// Many devices, one server, and one outage. Times are virtual, in milliseconds since the run began.
///
/// The course: devices start over `warmUp`; normal life is measured for `normal`; the server is away for `outage`; what follows
/// is measured for `after`, long enough for the last idle device to have its event stream again.
package struct HerdSettings: Hashable, Sendable {
  package var devices = 10_000
  /// Devices with an active alert, of all, in normal life.
  package var alertShare = 0.02
  package var outageMilliseconds: Int64 = 600_000
  package var seed: UInt64 = 1

  package var warmUpMilliseconds: Int64 = 4_510_000
  package var normalMilliseconds: Int64 = 1_800_000
  package var afterMilliseconds: Int64 = 5_400_000

  /// How long an alert lasts on average; with the share this is also how many are raised. Exponentially distributed.
  package var alertMilliseconds: Int64 = 3_600_000
  /// Between two changes of contacts on one device, on average.
  package var contactMilliseconds: Int64 = 2 * 86_400_000
  /// Requests that the server answers a second, one after the other; ten times what it needs in normal life.
  package var capacityPerSecond = 200.0
  /// What would wait longer for its turn is answered 503 at once.
  package var patienceMilliseconds: Int64 = 2000
  /// The way from a device to the server, and back; evenly distributed.
  package var latencyMilliseconds: ClosedRange<Int64> = 15...150

  /// Whether the server says over how long its streams are to come back; without it, the test of the test.
  package var saysSpread = true

  package init() {}

  /// The same with a server that was only restarted.
  package var restart: Self {
    var settings = self
    settings.outageMilliseconds = 2000
    return settings
  }

  var outageStart: Int64 { warmUpMilliseconds + normalMilliseconds }
  var outageEnd: Int64 { outageStart + outageMilliseconds }
  var end: Int64 { outageEnd + afterMilliseconds }
}

/// What the herd has to keep to.
package enum HerdBounds {
  /// Of the rate after the outage to the rate before.
  package static let ratio = 2.0
  /// So many requests a second are nothing to any server, however few it has in normal life.
  package static let smallPerSecond = 20.0
  package static let alertSeconds = 60.0
}
