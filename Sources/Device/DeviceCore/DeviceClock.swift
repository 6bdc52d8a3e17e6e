import CurlTransport
package import Model

/// This device's clocks, for shells that pass the moment to the core.
package enum DeviceClock {
  package static func now() -> Moment { SystemClock.now() }

  package static func monotonicMilliseconds() -> Int64 { SystemClock.now().monotonicMilliseconds }
}
