import Glibc

/// The end of a wait, by CLOCK_MONOTONIC. One value is handed through everything that a call has to wait for, so that the
/// waits share one limit and do not add up.
package struct Deadline: Hashable, Sendable {
  /// A reading of CLOCK_MONOTONIC.
  let milliseconds: Int64

  /// - Parameter milliseconds: from now; 0 or less has passed.
  package init(millisecondsFromNow milliseconds: Int) {
    self.milliseconds = Self.now + Int64(milliseconds)
  }

  /// 0 once it has passed.
  package var remainingMilliseconds: Int { Int(max(0, milliseconds - Self.now)) }

  private static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
