import Composable
import Model

extension AlertState<AuthFeature.Action.Alert> {
  /// Asks before signing out, while no losses are known.
  static var signOutConfirmation: Self {
    AlertState {
      TextState("Sign Out")
    } actions: {
      ButtonState(role: .destructive, action: .confirmSignOut) {
        TextState("Sign Out")
      }
      ButtonState(role: .cancel, action: .dismissSignOutConfirmation) {
        TextState("Cancel")
      }
    } message: {
      TextState("Are you sure you want to sign out?")
    }
  }

  /// Asks before signing out if `items` would be lost.
  ///
  /// It replaces the first question while the person may be about to tap, so the button that changes nothing is at the
  /// place of the earlier "Sign Out". The other button carries the losses that the person was told.
  static func signOutConfirmation(losing items: PendingItems) -> Self {
    AlertState {
      TextState("Sign Out")
    } actions: {
      ButtonState(role: .cancel, action: .dismissSignOutConfirmation) {
        TextState(items.leavesActiveAlert ? "Stay signed in" : "Send first")
      }
      ButtonState(role: .destructive, action: .confirmSignOutLosing(items)) {
        TextState(items.agreement)
      }
    } message: {
      TextState(items.warning)
    }
  }

  /// Whether one of the buttons agrees to lose exactly `items`.
  func offersLosing(_ items: PendingItems) -> Bool {
    buttons.contains { $0.action == .confirmSignOutLosing(items) }
  }
}

extension PendingItems {
  /// The label of the button that agrees.
  fileprivate var agreement: String {
    guard leavesActiveAlert else { return "Sign out and discard \(summary)" }
    guard count > 0 else { return "Sign out and leave the alert active" }
    return "Sign out, leave the alert active, discard \(summary)"
  }

  /// The losses as people count them, as in "1 alert and 2 contact changes".
  private var summary: String {
    let others = losses.alertCount + losses.contactCount > 0 ? "other change" : "change"
    return countedList([
      "alert": losses.alertCount, "contact change": losses.contactCount, others: losses.otherCount,
    ])
  }

  /// The text that tells the person what would be lost.
  fileprivate var warning: String {
    let warnings = [leavesActiveAlert ? activeAlertWarning : nil, count > 0 ? lossWarning : nil]
    return warnings.compactMap(\.self).joined(separator: " ")
  }

  private var activeAlertWarning: String {
    "An alert is active. After signing out this device can no longer end it."
  }

  private var lossWarning: String {
    let isSingle = losses.alertCount + losses.contactCount + losses.otherCount == 1
    let lost = "Not sent yet: \(summary). Signing out now would lose \(isSingle ? "it" : "them")."
    guard includesUnsentAlert else { return lost }
    return lost + " The server has not confirmed \(unsentAlert): perhaps nobody knows of it."
  }

  private var unsentAlert: String { losses.alertCount > 1 ? "at least one of the alerts" : "the alert" }
}
