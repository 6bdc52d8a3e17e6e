/// What the clocks of one machine said at one instant.
///
/// It is read once by the outermost shell and passed inwards; nothing inside reads a clock.
public struct Moment: Hashable, Sendable {
  /// The wall clock: may jump, either way, by any amount.
  public var wall: Timestamp
  /// Milliseconds since some fixed point of this boot: never goes back, means nothing on another boot.
  public var monotonicMilliseconds: Int64
  /// Names the boot to which the monotonic clock belongs; nil where the machine does not tell.
  public var boot: String?

  /// What both clocks said.
  public init(wall: Timestamp, monotonicMilliseconds: Int64, boot: String? = nil) {
    self.wall = wall
    self.monotonicMilliseconds = monotonicMilliseconds
    self.boot = boot
  }
}
