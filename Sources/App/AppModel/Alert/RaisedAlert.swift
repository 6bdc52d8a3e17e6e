public import FoundationEssentials
public import Model

/// What raising an alert did. The alert was durable on this device before this value existed.
public struct RaisedAlert: Hashable, Sendable, Identifiable {
  /// The id of the new alert, or of the one that was active before.
  public let id: AlertID
  /// When that one was raised, by the clock of the device that raised it.
  public let startTime: Date
  /// Whether no new alert was raised, because this one is still active.
  public let wasActiveBefore: Bool
  /// Whether it is in a plain file, because the store could not take it; the next opening of the store recovers it.
  public let isSpooled: Bool

  /// For previews and tests: a new alert, in the store.
  public init(id: AlertID, startTime: Date, wasActiveBefore: Bool = false, isSpooled: Bool = false) {
    self.id = id
    self.startTime = startTime
    self.wasActiveBefore = wasActiveBefore
    self.isSpooled = isSpooled
  }
}
