/// What the library's errors say beside those of the device: one line each, in lower case and without a full stop, but for an alert
/// that is not saved.
enum ClientTexts {
  static let historyLimit = "a limit is from 1 to 1000"
  static let unknownCode = "this code can no longer be used: ask for a new one"

  static func alertNotSaved(_ reason: String) -> String { "the alert is NOT saved: \(reason)" }
  static func sentNotSaved(_ reason: String) -> String {
    "Help was called: the server has the alert. This device could NOT save it: \(reason)"
  }
  static func notSentEither(_ failure: String, _ reason: String) -> String {
    "\(failure). It could NOT be sent either: \(reason)"
  }
  static func notConfirmed(_ failure: String, _ reason: String) -> String {
    "\(failure). It is NOT known whether the server has it: \(reason)"
  }
  static func endSentNotSaved(_ reason: String) -> String {
    "The server knows that you are safe and tells your responders. This device could NOT save it: \(reason)"
  }
  static let noActiveAlert = "no alert is active"
  static let endKept = ". The end is kept in memory, and sent when this device can save again"
}
