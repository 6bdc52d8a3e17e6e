/// What the sign-in on the screen says, together, so that it can be read in one go.
enum SignInTexts {
  static let title = "Sign in with your phone number"
  static let asking = "Asking for a code…"
  static func working(_ seconds: Int) -> String {
    "Many people are asking for codes now. To get one sooner, this device is doing some work first: about \(seconds) s. "
      + "Esc stops it."
  }
  static let canSubmit = "Enter: a code will be sent to this number."
  static let typeNumber = "Type the number, or with + for any region."
  static let wait = "One moment…"
  static let resend = "r: send another code."

  static func region(_ name: String) -> String { "Region   ◂ \(name) ▸" }
  static func number(_ number: String) -> String { "Number   \(number)" }
  static func code(_ phone: String) -> String { "Type the code that was sent to \(phone)" }
  static func resendIn(_ seconds: Int) -> String { "You can ask for another code in \(seconds) s." }
}
