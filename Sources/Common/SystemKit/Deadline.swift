import Glibc

/// The end of a wait, by `KernelClock.monotonic`. One value is handed through everything that a call has to wait for, so that the
/// waits share one limit and do not add up.
package struct Deadline: Hashable, Sendable {
  /// A reading of `KernelClock.monotonic`.
  package let milliseconds: Int64

  /// - Parameter milliseconds: from now; 0 or less has passed.
  package init(millisecondsFromNow milliseconds: Int) {
    self.milliseconds = KernelClock.monotonic.milliseconds() + Int64(milliseconds)
  }

  /// 0 once it has passed.
  package var remainingMilliseconds: Int { Int(max(0, milliseconds - KernelClock.monotonic.milliseconds())) }

  /// For calls that take a `timespec` of CLOCK_MONOTONIC.
  var timespec: timespec {
    let milliseconds = max(0, milliseconds)
    return Glibc.timespec(tv_sec: Int(milliseconds / 1000), tv_nsec: Int(milliseconds % 1000) * 1_000_000)
  }
}
