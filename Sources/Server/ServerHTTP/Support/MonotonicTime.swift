import SystemKit

/// Milliseconds since some fixed point of this boot.
func monotonicMilliseconds() -> Int64 { KernelClock.monotonic.milliseconds() }
