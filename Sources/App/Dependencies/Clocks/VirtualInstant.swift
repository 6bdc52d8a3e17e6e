/// A moment on a clock that has no relation to the real time.
public struct VirtualInstant: InstantProtocol {
  /// How long after the clock's beginning.
  public var offset: Duration

  /// `offset` after the beginning of the clock.
  public init(offset: Duration = .zero) {
    self.offset = offset
  }

  /// The moment `duration` later.
  public func advanced(by duration: Duration) -> VirtualInstant {
    VirtualInstant(offset: offset + duration)
  }

  /// How long it is from this moment to `other`; negative where that is earlier.
  public func duration(to other: VirtualInstant) -> Duration {
    other.offset - offset
  }

  /// Whether the first is earlier.
  public static func < (first: VirtualInstant, second: VirtualInstant) -> Bool {
    first.offset < second.offset
  }
}
