package import Model
import SystemKit

/// The clocks of this machine, as the core is told of them.
package enum SystemClock {
  /// Wall time, and time since boot, sleep included.
  package static func now() -> Moment {
    Moment(
      wall: Timestamp(milliseconds: KernelClock.wall.milliseconds()),
      monotonicMilliseconds: KernelClock.boot.milliseconds(), boot: KernelClock.bootID)
  }
}
