import Model

/// A moment by the clock by which the store counts, which somebody may set, and by the one that goes on evenly.
struct ClockReading: Sendable, Hashable {
  let wall: Timestamp
  /// In milliseconds.
  let monotonic: Int64

  /// How much time may have passed: the longer of what both clocks say.
  func milliseconds(since earlier: Self) -> Int64 {
    max(wall.milliseconds(since: earlier.wall), monotonic - earlier.monotonic)
  }
}

extension ServerContext {
  func readClocks() -> ClockReading { ClockReading(wall: moment().now, monotonic: monotonicMilliseconds()) }
}
