import Composable

extension AlertState<AuthFeature.Action.Alert> {
  /// Asks before signing out, while it is not known that anything would be lost.
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

  /// Asks before signing out where `items` would be lost.
  ///
  /// It takes the place of the other while the person may be about to tap: what leaves everything as it is lies where
  /// "Sign Out" was. The other button carries what the person was told.
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

  /// Whether one of the buttons gives up just `items`.
  func offersLosing(_ items: PendingItems) -> Bool {
    buttons.contains { $0.action == .confirmSignOutLosing(items) }
  }
}

extension PendingItems {
  /// What the person says by the button.
  fileprivate var agreement: String {
    let losses = "give up \(count) \(count == 1 ? "item" : "items")"
    guard leavesActiveAlert else { return "Sign out and \(losses)" }
    return count > 0 ? "Sign out, leave the alert active, \(losses)" : "Sign out and leave the alert active"
  }

  /// What happens to them, in words.
  fileprivate var warning: String {
    let warnings = [leavesActiveAlert ? activeAlertWarning : nil, count > 0 ? lossWarning : nil]
    return warnings.compactMap(\.self).joined(separator: " ")
  }

  private var activeAlertWarning: String {
    "An alert is active. After signing out this device can no longer end it."
  }

  private var lossWarning: String {
    let (are, them) = count == 1 ? ("1 item is", "it") : ("\(count) items are", "them")
    let lost = "\(are) saved on this device, and the server does not have \(them). Signing out now would lose \(them)."
    guard includesUnsentAlert else { return lost }
    return lost + " An alert is among them: as far as this device knows, nobody has been told of it."
  }
}
