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
  /// "Sign Out" was.
  static func signOutConfirmation(losing items: PendingItems) -> Self {
    AlertState {
      TextState("Sign Out")
    } actions: {
      ButtonState(role: .cancel, action: .dismissSignOutConfirmation) {
        TextState("Send first")
      }
      ButtonState(role: .destructive, action: .confirmSignOutDiscarding) {
        TextState("Sign out and give up \(items.count) \(items.count == 1 ? "item" : "items")")
      }
    } message: {
      TextState(items.warning)
    }
  }

  /// Whether one of the buttons gives up what was not sent.
  var offersDiscarding: Bool { buttons.contains { $0.action == .confirmSignOutDiscarding } }
}

extension PendingItems {
  /// What happens to them, in words.
  fileprivate var warning: String {
    let (are, them) = count == 1 ? ("1 item is", "it") : ("\(count) items are", "them")
    let lost = "\(are) saved on this device, and the server does not have \(them). Signing out now would lose \(them)."
    guard includesUnsentAlert else { return lost }
    return lost + " An alert is among them: as far as this device knows, nobody has been told of it."
  }
}
