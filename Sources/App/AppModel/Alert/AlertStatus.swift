public import FoundationEssentials

/// Whether an alert is active.
public struct AlertStatus: Hashable, Sendable {
  /// Whether one is.
  public var isActive: Bool
  /// When the active alert was raised, or the newest one where none is active; nil before the first.
  public var startTime: Date?

  /// The status of an alert raised at `startTime`.
  public init(isActive: Bool, startTime: Date?) {
    self.isActive = isActive
    self.startTime = startTime
  }
}
