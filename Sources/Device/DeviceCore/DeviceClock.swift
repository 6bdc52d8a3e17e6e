import CurlTransport
import Glibc
package import Model

/// This device's clocks, for shells that pass the moment to the core.
package enum DeviceClock {
  package static func now() -> Moment { SystemClock.now() }

  package static func monotonicMilliseconds() -> Int64 { SystemClock.now().monotonicMilliseconds }

  /// Minutes east of UTC here, at `time`; 0 where that is unknown.
  package static func utcOffsetMinutes(at time: Timestamp) -> Int {
    var seconds = time_t(time.milliseconds / 1000)
    var local = tm()
    return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff / 60
  }
}
