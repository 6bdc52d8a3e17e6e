package import Model

/// What signing out costs at one moment: what is given up, and what this device can no longer end.
///
/// It is shown to the person, and handed back to sign out: nothing beyond it is given up.
public struct SignOutLosses: Hashable, Sendable {
  /// The number of items that are saved here and that the server has not taken, those that it refused among them: they would be
  /// deleted.
  public let pendingCount: Int
  /// An alert is active: afterwards this device can no longer end it.
  public let isAlertActive: Bool
  /// What exactly was counted; nil where no device did.
  package let token: Token?

  /// Names what a device counted. Opaque to features.
  package struct Token: Hashable, Sendable {
    /// The ids of all that is queued and may be deleted, the parked too.
    package let itemIDs: Set<String>
    /// The alerts that are active.
    package let activeAlerts: Set<AlertID>
    /// The folders of damaged stores are deleted too.
    package let removesSetAsideStores: Bool

    package init(itemIDs: Set<String>, activeAlerts: Set<AlertID>, removesSetAsideStores: Bool) {
      self.itemIDs = itemIDs
      self.activeAlerts = activeAlerts
      self.removesSetAsideStores = removesSetAsideStores
    }
  }

  /// For previews and tests: counted by no device, which therefore gives up nothing for it.
  public init(pendingCount: Int = 0, isAlertActive: Bool = false) {
    self.pendingCount = pendingCount
    self.isAlertActive = isAlertActive
    token = nil
  }

  /// What a device counted.
  package init(_ token: Token) {
    pendingCount = token.itemIDs.count
    isAlertActive = !token.activeAlerts.isEmpty
    self.token = token
  }
}
