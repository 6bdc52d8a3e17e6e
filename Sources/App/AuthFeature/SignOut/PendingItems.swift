public import AppModel

/// What signing out would lose.
public struct PendingItems: Hashable, Sendable {
  /// The device's count, which the sign-out passes back.
  public var losses: SignOutLosses
  /// Whether the items include an alert that the server does not have.
  public var includesUnsentAlert: Bool

  /// The number of items that are saved on this device and not accepted by the server. A sign-out deletes them.
  public var count: Int { losses.pendingCount }

  /// Whether an alert is active, which this device could no longer end.
  public var leavesActiveAlert: Bool { losses.isAlertActive }

  /// Makes items from a device's count.
  public init(_ losses: SignOutLosses, includesUnsentAlert: Bool = false) {
    self.losses = losses
    self.includesUnsentAlert = includesUnsentAlert
  }

  /// Whether nothing would be lost.
  public var isEmpty: Bool { count <= 0 && !leavesActiveAlert }
}
