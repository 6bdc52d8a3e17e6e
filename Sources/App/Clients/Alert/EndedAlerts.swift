public import FoundationEssentials

/// What ending alerts did.
public struct EndedAlerts: Hashable, Sendable {
  /// The newest end time of those that were ended.
  public var endTime: Date
  /// How many others are active; nil if that cannot be read.
  public var activeCount: Int?

  /// By default nothing else is active.
  public init(endTime: Date, activeCount: Int? = 0) {
    self.endTime = endTime
    self.activeCount = activeCount
  }
}
