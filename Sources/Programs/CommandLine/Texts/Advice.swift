import DeviceCore

/// What to do next: one line each.
enum Advice {
  static let signIn = "To send what is saved: \(CommandName.text) sign-in YOUR-PHONE-NUMBER"
  static let signInFirst = "Sign in: \(CommandName.text) sign-in YOUR-PHONE-NUMBER"
  static let signInAgain = "Sign in again: \(CommandName.text) sign-in YOUR-PHONE-NUMBER"
  static let addResponder = "Add one: \(CommandName.text) contacts add PHONE --name NAME --responder --channel URL"
  static let addChannel =
    "Give one a channel:\n  \(CommandName.text) contacts add PHONE --name NAME --responder --channel URL"
  static let sync = "Try again: \(CommandName.text) sync   Keep trying: \(CommandName.text) sync --watch"
  /// Beside a process that does not move: an alert is sent without it.
  static let syncOnce = "To send an alert now: \(CommandName.text) sync   See: \(CommandName.text) doctor"
  static let endpoint = "Say where your server is: \(CommandName.text) config set endpoint https://…"
  static let certificate =
    "Check this device's clock and the address: \(CommandName.text) config list\n"
    + "If the server has an authority of its own: \(CommandName.text) config set ca_file FILE"
  static let queue = "See: \(CommandName.text) queue list"
}
