import Glibc

/// A clock of this machine, read by clock_gettime(2).
package enum KernelClock: Sendable {
  /// CLOCK_REALTIME: time since 1970. It jumps when somebody sets the clock.
  case wall
  /// CLOCK_MONOTONIC: time since some point of this boot, without the time that the machine slept.
  case monotonic
  /// CLOCK_BOOTTIME: time since this boot, sleep included.
  case boot

  package func milliseconds() -> Int64 {
    let time = read()
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  package func seconds() -> Double {
    let time = read()
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  private func read() -> timespec {
    var time = timespec()
    // It fails only for a clock that the kernel does not have.
    clock_gettime(number, &time)
    return time
  }

  private var number: clockid_t {
    switch self {
    case .wall: CLOCK_REALTIME
    case .monotonic: CLOCK_MONOTONIC
    case .boot: CLOCK_BOOTTIME
    }
  }

  /// Names this boot, so that a reading of `boot` is not compared with one of another: 36 characters. Nil where the kernel does not
  /// tell.
  package static let bootID: String? = {
    guard let file = FileDescriptor(opening: "/proc/sys/kernel/random/boot_id", O_RDONLY) else { return nil }
    let bytes = file.read(upTo: 36)
    return bytes.count == 36 ? String(decoding: bytes, as: UTF8.self) : nil
  }()
}
