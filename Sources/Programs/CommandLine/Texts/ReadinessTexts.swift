import DeviceCore
import LocalStore
import Model

/// What is said about who would be told of an alert, and about tests of one contact.
///
/// Every line of these texts has at most 80 columns, but for names and reasons of others.
enum ReadinessTexts {
  // MARK: Whether anybody would be told

  static func line(_ readiness: Readiness, now: Timestamp, _ console: Console) -> String {
    console.styled(readiness.isReady ? .good : .warning, readiness.line(now: now).printable)
  }

  /// Said first, after an alert was raised that perhaps nobody is told of; nil if somebody would be told. A drill finds out what is not
  /// certain.
  static func doubt(_ readiness: Readiness, isDrill: Bool, _ console: Console) -> String? {
    guard let reason = readiness.reason?.printable, let isCertain = readiness.obstacle?.isCertain else { return nil }
    guard !isDrill else { return isCertain ? DeliveryTexts.nobodyInDrill(reason, console) : nil }
    return console.styled(.bad, "NOBODY \(isCertain ? "WILL" : "MAY") BE TOLD: \(reason).")
      + "\nCall for help another way \(isCertain ? "now" : "too")."
  }

  // MARK: Channels of one contact

  static func unsupported(_ url: String, _ console: Console) -> String {
    console.styled(.warning, "This server cannot send to it:") + " \(url)"
  }
  /// Where it is not said of one contact alone.
  static func unsupported(_ url: String, of name: String, _ console: Console) -> String {
    unsupported(url, console) + " (\(name))"
  }
  static let untested = "not tested"
  static let otherKind = "this server cannot use it"
  static func failed(_ time: String, _ reason: String, _ console: Console) -> String {
    console.styled(.bad, "FAILED") + " on \(time): \(reason)"
  }
  static func tested(_ time: String) -> String { "tested \(time)" }
  static func toTest(_ name: String) -> String { "To test it: \(CommandName.text) contacts test \"\(name)\"" }

  // MARK: Testing one contact

  static func started(_ name: String) -> String {
    "Testing \(name). Nobody else is told. They are asked to press \"I got this\"."
  }
  static func refused(_ obstacle: ContactTestStart.Obstacle, _ name: String) -> String {
    "NOT TESTED: \(obstacle.reason).\n" + advice(obstacle, name)
  }
  private static func advice(_ obstacle: ContactTestStart.Obstacle, _ name: String) -> String {
    switch obstacle {
    case .alertActive: "Test when it is over. See: \(CommandName.text) alert status"
    case .notResponder: "Make \(name) one: \(CommandName.text) contacts add PHONE --name NAME --responder"
    case .noChannel, .unsupported: Advice.addChannel
    case .unknownServer:
      "First: \(CommandName.text) sync. To test all at once: \(CommandName.text) alert activate --drill"
    }
  }
  static func notTaken(_ reason: String, _ console: Console) -> String {
    console.styled(.bad, "NOT TESTED: the server refused it.") + "\nReason: \(reason)"
  }
  static func answered(_ name: String, _ channel: String, _ console: Console) -> String {
    console.styled(.good, "TESTED") + " by \(channel): \(name) answered."
  }
  static func unanswered(_ name: String, minutes: Int64, isSent: Bool) -> String {
    isSent
      ? "NOT ANSWERED yet by \(name). They can answer for \(minutes) minutes.\nSee: \(CommandName.text) contacts list"
      : "NOT SENT YET. The test is saved here, and ends in \(minutes) minutes.\n" + Advice.sync
  }
  static func failed(_ name: String) -> String {
    "NOT TESTED: no message reached \(name).\nCheck the channel: \(CommandName.text) contacts list"
  }
  static let signInFirst = "NOT TESTED: sign in first, so that the answer is received.\n" + Advice.signInAgain
  static let waiting = "Waiting for the answer. Ctrl-C leaves; the test goes on."
  static func running(_ time: String) -> String { "being tested since \(time)" }

  // MARK: The profile

  static let noName =
    "No name is set: your responders see your number alone.\n\(CommandName.text) profile set --name NAME"
  static func name(_ name: String, isPending: Bool) -> String {
    "Your responders see: \(name)" + (isPending ? AccountTexts.unsentContact : "")
  }
  static func nameSaved(_ name: String) -> String { "Saved on this device: your responders will see \(name)." }
}
