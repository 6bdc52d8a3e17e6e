import LocalStore

/// What signing out costs at one moment: what is given up, and what this device can no longer end.
public struct SignOutLosses: Hashable, Sendable {
  let agreement: SignOutAgreement

  init(agreement: SignOutAgreement) { self.agreement = agreement }

  /// How many things are saved here that the server has not taken, those that it refused among them: they would be deleted.
  public var pendingCount: Int { agreement.queuedIDs.count }

  /// An alert is active: afterwards this device can no longer end it.
  public var isAlertActive: Bool { !agreement.activeAlerts.isEmpty }

  /// Without what is given up: signing out is then refused while anything waits to be sent.
  public var keepingQueue: SignOutLosses { SignOutLosses(agreement: agreement.keepingQueue) }
}
