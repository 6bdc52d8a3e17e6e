public import FoundationEssentials
public import Model

/// An alert that is active beside the one that an `AlertSnapshot` is about.
public struct ActiveAlert: Hashable, Sendable, Identifiable {
  /// The alert's id.
  public let id: AlertID
  /// When it was raised, by the clock of the device that raised it.
  public var startTime: Date
  /// What the person said last.
  public var message: String?

  /// An active alert.
  public init(id: AlertID, startTime: Date, message: String? = nil) {
    self.id = id
    self.startTime = startTime
    self.message = message
  }
}
