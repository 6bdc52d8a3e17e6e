/// A machine's clock readings at one instant.
///
/// The outermost shell reads it once and passes it on; the core never reads a clock.
public struct Moment: Hashable, Sendable {
  /// The wall clock. It can jump in either direction by any amount.
  public var wall: Timestamp
  /// Milliseconds since a fixed point of this boot. Never decreases; meaningless after a reboot.
  public var monotonicMilliseconds: Int64
  /// Identifies the boot of the monotonic clock; nil if unknown.
  public var boot: String?

  /// Creates a moment from both clocks.
  public init(wall: Timestamp, monotonicMilliseconds: Int64, boot: String? = nil) {
    self.wall = wall
    self.monotonicMilliseconds = monotonicMilliseconds
    self.boot = boot
  }
}
