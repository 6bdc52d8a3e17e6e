import Glibc
package import Model

/// The clocks of this machine.
package enum SystemClock {
  /// Wall time (CLOCK_REALTIME) and time since boot, sleep included (CLOCK_BOOTTIME).
  package static func now() -> Moment {
    Moment(
      wall: Timestamp(milliseconds: milliseconds(CLOCK_REALTIME)), monotonicMilliseconds: milliseconds(CLOCK_BOOTTIME),
      boot: boot)
  }

  /// The kernel's boot id: 36 characters; nil if it cannot be read.
  private static let boot: String? = {
    let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 36)
    guard read(descriptor, &bytes, bytes.count) == bytes.count else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }()

  private static func milliseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
