/// What to do next: one line each.
enum Advice {
  static let signIn = "To send what is saved: lifesignal sign-in YOUR-PHONE-NUMBER"
  static let signInFirst = "Sign in: lifesignal sign-in YOUR-PHONE-NUMBER"
  static let signInAgain = "Sign in again: lifesignal sign-in YOUR-PHONE-NUMBER"
  static let addResponder = "Add one: lifesignal contacts add PHONE --name NAME --responder --channel URL"
  static let addChannel =
    "Give one a channel:\n  lifesignal contacts add PHONE --name NAME --responder --channel URL"
  static let sync = "Try again: lifesignal sync   Keep trying: lifesignal sync --watch"
  static let endpoint = "Say where your server is: lifesignal config set endpoint https://…"
  static let certificate =
    "Check this device's clock and the address: lifesignal config list\n"
    + "If the server has an authority of its own: lifesignal config set ca_file FILE"
  static let queue = "See: lifesignal queue list"
}
