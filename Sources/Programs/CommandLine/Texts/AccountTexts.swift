import DeviceCore
import LocalStore

/// What signing in and out, contacts, settings, sessions and the smaller commands say.
enum AccountTexts {
  // MARK: Signing in

  static func codeSent(_ phone: String) -> String { "A code was sent to \(phone)." }
  static func working(_ seconds: Int) -> String {
    "Many people are asking for codes now. To get one sooner, this device is\n"
      + "doing some work first: about \(seconds) \(seconds == 1 ? "second" : "seconds")."
  }
  static let codePrompt = "Code: "
  static let malformedCode = "NOT a code: a code has 6 digits, as in 123456."
  /// - Parameter home: what `--home` named, without which the command would sign in another device.
  static func codeNeeded(_ phone: String, minutes: Int64, home: String?) -> String {
    let option = home.map { " --home \(CommandName.quoted($0))" } ?? ""
    return "NOT signed in yet: a code was sent to \(phone).\nIt is good for \(minutes) minutes. Go on with:\n"
      + "  lifesignal\(option) sign-in \(phone) --code CODE"
  }
  static func wrongCode(_ reason: String, _ again: String) -> String {
    "\(reason)\nUse the code from the newest text message:\n  \(again) --code CODE"
  }
  static func spentCode(_ reason: String, _ again: String) -> String { "\(reason)\nFor a new code: \(again)" }
  static func signedIn(_ phone: String, _ console: Console) -> String {
    console.styled(.good, "Signed in") + " as \(phone)."
  }
  static func sendingWaiting(_ items: UnsentCounts) -> String { "Sending what waited: \(items.text)." }
  static let toSend = "To send it: \(CommandName.text) sync"
  static let serverNotSet = "no server is set.\n" + Advice.endpoint
  static func tryLater(_ reason: String) -> String { "\(reason)\nTry again later." }
  static func untrusted(_ reason: String) -> String { "\(reason)\n" + Advice.certificate }
  static let anotherAccount = ".\nFirst: \(CommandName.text) sync, then: \(CommandName.text) sign-out"

  // MARK: Signing out

  static let stillSignedIn = "You are still signed in. Nothing was removed."
  static let queueNotEmpty = ".\nFirst: \(CommandName.text) sync. To give it up instead, add --discard-pending."
  /// A sync sends no more than alerts then.
  static func queueOfEndedSession(_ phone: String) -> String {
    ".\nThe session of \(phone) has ended. To send it, sign in again:\n  \(CommandName.text) sign-in \(phone)\n"
      + giveUp
  }
  /// A sync does not send it again.
  static let refusedQueue =
    ".\nThe server refused it. To see why, and try again: \(CommandName.text) queue list\n" + giveUp
  private static let giveUp = "To give it up instead:\n  \(CommandName.text) sign-out --discard-pending"
  static func alertStays(_ console: Console) -> String {
    console.styled(.bad, "AN ALERT IS ACTIVE.")
      + " Signed out, this device cannot end it,\nand does not show who answers."
  }
  static func lost(_ items: UnsentCounts) -> String { "LOST if you sign out, not sent: \(items.text)." }
  static func copiesLost(_ paths: String) -> String { "Copies of damaged data will be removed:\n\(paths)" }
  static let signOutPurpose = "sign out"
  static func callThrownAway(_ count: Int, mayHaveArrived: Bool) -> String {
    "THROWN AWAY, as you asked: \(count == 1 ? "a call" : "\(count) calls") for help.\n"
      + (mayHaveArrived
        ? "It was tried, and the server may have it: your responders MAY have been told."
        : "No attempt to send it is on record here, so most likely nobody was told.\n"
          + "If a program was stopped while it sent it, your responders may have been.")
  }
  /// - Parameter mayBe: it is not known whether the server has it.
  static func alertWasActive(mayBe: Bool = false) -> String {
    "An alert \(mayBe ? "may be" : "was") active. This device can no longer end it:\n"
      + "sign in again, or end it on another device."
  }
  static func copiesStay(_ paths: String) -> String {
    "Copies of damaged data are still here, and may hold alerts and contacts.\n"
      + "Remove them when you no longer need them:\n\(paths)"
  }
  static let signedOut = "Signed out."
  static let nothingLeft = "Signed out. This device holds nothing of the account any more."
  static func cameMeanwhile(_ items: UnsentCounts) -> String {
    "NOT sent, and still saved here: \(items.text), added meanwhile.\n" + Advice.signIn
  }

  // MARK: Questions

  static func toProceed(_ purpose: String, _ word: String) -> String {
    "\nTo \(purpose) all the same, type \(word) and press Enter: "
  }

  // MARK: Contacts

  static let noContacts = "No contacts.\n" + Advice.addResponder
  static func savedContact(_ name: String, _ id: String, isNew: Bool) -> String {
    "\(isNew ? "Saved" : "Changed") \(name) on this device.\nID: \(id)"
  }
  static func removedContact(_ name: String) -> String { "Removed \(name) on this device." }
  static func channelDropped(_ url: String) -> String { "No longer used: \(url)" }
  static func untold(_ console: Console) -> String {
    console.styled(.warning, "This contact is not told of your alerts:") + " add --responder."
  }
  static func unreachable(_ console: Console) -> String {
    console.styled(.warning, "No message can reach them yet:") + " add --channel URL."
  }
  static func unknownContact(_ name: String) -> String {
    "NOT FOUND: no contact is called “\(name)”.\nTo see them: \(CommandName.text) contacts list"
  }
  static func ambiguousContact(_ name: String, _ choices: [String]) -> String {
    "AMBIGUOUS: more than one contact is called “\(name)”.\nGive the ID of one:\n  "
      + choices.joined(separator: "\n  ")
  }
  static func responder(tier: Int) -> String { tier == 1 ? "responder" : "responder (tier \(tier))" }
  static let dependent = "dependent"
  static let noChannel = "no channel"
  static let unsentContact = "  (not sent yet)"
  static let invalidRegion = "a region must be two letters, as in US or DE"

  // MARK: Settings

  static func set(_ name: String, _ value: String) -> String { "\(name) = \(value)" }
  static func removed(_ name: String) -> String { "\(name) is no longer set." }
  static func notSet(_ name: String) -> String { "\(name) is not set." }
  static func unknownSetting(_ names: String, _ hint: String?) -> String {
    "UNKNOWN setting. The settings are:\n\(names)" + (hint.map { "\nDid you mean \($0)?" } ?? "")
  }
  static func data(_ path: String) -> String { "Data: \(path)" }
  static func server(_ endpoint: String?) -> String { "Server: \(endpoint ?? "not set")" }

  // MARK: Sessions

  static let invalidSession = "INVALID ID: copy it from “\(CommandName.text) sessions list”."
  static func sessionEnded(_ device: String) -> String {
    "Ended: \(device) can no longer use this account, or raise its alerts."
  }
  static func sessionSince(_ time: String) -> String { "signed in \(time)" }
  static func lastSeen(_ time: String) -> String { "last seen \(time)" }
  static let alertKeyOnly = "expired, but can raise alerts"
  static let thisDevice = "  (this device)"

  // MARK: Status

  static let account = "Account     "
  static let endpoint = "Server      "
  static let lastSync = "Last sync   "
  static let respondersRow = "Responders  "
  static let worker = "Worker      "
  static let accountExpired = " (expired: sign in again)"
  static let accountNone = "not signed in"
  static let unset = "not set"
  static let never = "never"
  static func testedCount(_ count: Int) -> String { ", \(count) tested" }
  static func failed(_ name: String, _ time: String, _ reason: String, _ console: Console) -> String {
    console.styled(.bad, "FAILED") + "      the last message to \(name), \(time): \(reason)"
  }
  static let workerAbsent = "not running (\(CommandName.text) sync --watch)"
  static let workerRunning = "running"
  static let workerOfAlert = "running until the alert is over and everything is sent"
  static let workerStandingBy = "not running; a process in the background is about to send"
  static let noSignals = "waiting for signals is not possible"
  static func workerStandsStill(_ standstill: String, _ console: Console) -> String {
    console.styled(.bad, "NOT MOVING")
      + ": \(standstill);\n            nothing is sent now. To send an alert: \(CommandName.text) sync"
  }

  // MARK: The screen

  static let screenIsNoJSON = "NO SCREEN: it writes no JSON. See: \(CommandName.text) alert status --json"
  static let screenNeedsTerminal = "NO SCREEN: the screen needs a terminal.\n\(withoutScreen)"
  static func screenFailed(_ path: String, _ reason: String) -> String {
    "NO SCREEN: cannot start \(path): \(reason).\n\(withoutScreen)"
  }
  static func screenMissing(_ path: String) -> String {
    "NO SCREEN: the program is missing: \(path)\n\(withoutScreen)"
  }
  static let screenUnknownPlace = "NO SCREEN: this program cannot tell where it is installed.\n\(withoutScreen)"
  private static let withoutScreen = "Without it: \(CommandName.text) sos, \(CommandName.text) alert status"

  // MARK: The rest

  static func unknownCommand(_ word: String) -> String {
    "UNKNOWN command: “\(word)”. See: lifesignal --help"
  }
  static func unknownShell(_ shells: String) -> String { "UNKNOWN shell. The shells are: \(shells)" }
  static func outputFailed(_ reason: String) -> String { "NOT written: the output failed: \(reason)" }
  static func errorCode(_ code: String, _ status: Int32) -> String { "(code \(code), exit status \(status))" }
  static let note = "note: "
  static func invalidNumber(_ name: String, _ range: ClosedRange<Int>) -> String {
    "INVALID: \(name) must be a whole number from \(range.lowerBound) to \(range.upperBound)."
  }
  static let invalidLocation = "a location must be LATITUDE,LONGITUDE in degrees, as in 52.5200,13.4050"
}
