import Glibc
package import Model

/// The clocks of this machine.
package enum SystemClock {
  /// Wall time (CLOCK_REALTIME) and time since boot, sleep included (CLOCK_BOOTTIME).
  package static func now() -> Moment {
    Moment(
      wall: Timestamp(milliseconds: milliseconds(CLOCK_REALTIME)), monotonicMilliseconds: milliseconds(CLOCK_BOOTTIME))
  }

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
