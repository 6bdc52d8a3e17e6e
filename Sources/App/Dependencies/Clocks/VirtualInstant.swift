/// An instant on a clock that is independent of real time.
public struct VirtualInstant: InstantProtocol {
  /// The time since the clock's beginning.
  public var offset: Duration

  /// Makes the instant `offset` after the clock's beginning.
  public init(offset: Duration = .zero) {
    self.offset = offset
  }

  /// Returns the instant that is `duration` later.
  public func advanced(by duration: Duration) -> VirtualInstant {
    VirtualInstant(offset: offset + duration)
  }

  /// Returns the time from this instant to `other`; negative if `other` is earlier.
  public func duration(to other: VirtualInstant) -> Duration {
    other.offset - offset
  }

  /// Whether the first instant is earlier.
  public static func < (first: VirtualInstant, second: VirtualInstant) -> Bool {
    first.offset < second.offset
  }
}
