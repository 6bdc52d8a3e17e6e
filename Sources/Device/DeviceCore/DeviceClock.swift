import CurlTransport
package import Model

/// This device's clocks, for the shells that pass a moment inwards.
package enum DeviceClock {
  package static func now() -> Moment { SystemClock.now() }

  package static func monotonicMilliseconds() -> Int64 { SystemClock.now().monotonicMilliseconds }
}
