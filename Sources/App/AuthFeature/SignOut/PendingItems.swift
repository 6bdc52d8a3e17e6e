public import AppModel

/// What signing out would lose.
public struct PendingItems: Hashable, Sendable {
  /// What the device counted, to be handed back by the sign-out.
  public var losses: SignOutLosses
  /// An alert that the server does not know is among them.
  public var includesUnsentAlert: Bool

  /// The number of items that are saved on this device and that the server has not taken. They go with the account's data.
  public var count: Int { losses.pendingCount }

  /// An alert is active, which this device could not end any more.
  public var leavesActiveAlert: Bool { losses.isAlertActive }

  /// What a device counted, with an alert that the server does not know among it or without.
  public init(_ losses: SignOutLosses, includesUnsentAlert: Bool = false) {
    self.losses = losses
    self.includesUnsentAlert = includesUnsentAlert
  }

  /// For previews and tests: so many items, counted by no device.
  public init(count: Int, includesUnsentAlert: Bool = false, leavesActiveAlert: Bool = false) {
    self.init(
      SignOutLosses(pendingCount: count, isAlertActive: leavesActiveAlert), includesUnsentAlert: includesUnsentAlert)
  }

  /// Nothing would be lost.
  public var isEmpty: Bool { count <= 0 && !leavesActiveAlert }
}
