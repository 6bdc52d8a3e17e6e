package import Model

/// What signing out loses at one moment: the unsent items, and the alerts that this device can no longer end.
///
/// Show it to the person, and pass it back to sign out: nothing else is deleted.
public struct SignOutLosses: Hashable, Sendable {
  /// The number of items that are saved here and that the server has not taken, those that it refused among them: they
  /// would be deleted.
  public let pendingCount: Int
  /// The number of alerts with pending items.
  public let alertCount: Int
  /// The number of contacts with pending changes.
  public let contactCount: Int
  /// The number of other pending changes.
  public let otherCount: Int
  /// Whether an alert is active, which this device can no longer end afterwards.
  public let isAlertActive: Bool
  /// The counted items; nil if no device counted them.
  package let token: Token?

  /// Identifies what a device counted. Opaque to features.
  package struct Token: Hashable, Sendable {
    /// The ids of all queued items, including the refused ones, which may be deleted.
    package let itemIDs: Set<String>
    /// The active alerts.
    package let activeAlerts: Set<AlertID>
    /// Whether the folders of damaged stores are deleted too.
    package let removesSetAsideStores: Bool

    package init(itemIDs: Set<String>, activeAlerts: Set<AlertID>, removesSetAsideStores: Bool) {
      self.itemIDs = itemIDs
      self.activeAlerts = activeAlerts
      self.removesSetAsideStores = removesSetAsideStores
    }
  }

  /// Makes losses for previews and tests, of one item each. No device counted them, so no device deletes anything for them.
  public init(alertCount: Int = 0, contactCount: Int = 0, otherCount: Int = 0, isAlertActive: Bool = false) {
    self.alertCount = alertCount
    self.contactCount = contactCount
    self.otherCount = otherCount
    self.isAlertActive = isAlertActive
    pendingCount = alertCount + contactCount + otherCount
    token = nil
  }

  /// Makes the losses that a device counted.
  package init(_ token: Token, alertCount: Int, contactCount: Int, otherCount: Int) {
    pendingCount = token.itemIDs.count
    isAlertActive = !token.activeAlerts.isEmpty
    self.alertCount = alertCount
    self.contactCount = contactCount
    self.otherCount = otherCount
    self.token = token
  }
}
