/// What the keys and the big button say, together, so that they can be read in one go.
enum KeyTexts {
  // MARK: The line at the bottom

  static let alert = "ALERT"
  static let end = "end the alert"
  static let askToEnd = "ask to end it"
  static let message = "message"
  static let sendUpdate = "send it"
  static let otherField = "message or place"
  static let releaseSpace = "Release Space"
  static let history = "history"
  static let keys = "keys"
  static let quit = "quit"
  static let scroll = "scroll"
  static let signIn = "sign in"
  static let signOut = "sign out"
  static let sendCode = "send the code"
  static let newCode = "new code"
  static let region = "region"
  static let back = "back"
  static let backToAlert = "back, then Space ×4: ALERT"
  static let escTwice = "Esc twice"
  static let press = "press"
  static let cancel = "cancel"
  static let choose = "choose"
  static let inbox = "others' alerts"
  static let open = "open"
  static let writeLine = "write a line"
  static let lineDone = "done"

  // MARK: The big button

  static let pressForAlert = "Space ×4: ALERT"
  static let escThen = "Esc, then "
  static let escTwiceThen = "Esc twice, then "
  static let onceMore = "once more raises the alert"
  static func press(_ leaving: String) -> String { "press \(leaving)Space four times" }
  static func pressAgain(_ leaving: String) -> String { "press \(leaving)Space four times to try again" }
  static func presses(_ count: Int) -> String { "\(count) of 4" }
  static func more(_ count: Int) -> String { "\(count) more raise the alert" }
  static let raise = "RAISE AN ALERT"
  static let notSaved = "ALERT NOT SAVED"
  static let saving = "SAVING THE ALERT…"
  static let active = "ALERT ACTIVE"
  static let keepHolding = "KEEP HOLDING TO END IT"
  static let ending = "ENDING THE ALERT…"
  static let hasEnded = "the alert has ended"
  static let cannotSave = "cannot be saved on this device: call for help another way"
  static let letGo = "let go to leave it active"
  static let holdToEnd = "hold Space for 3 seconds to end it"
  static let askInField = "press e to end it"

  // MARK: All keys

  static let allTitle = "Keys"

  /// A key, and what it does, wherever it does that.
  static let all: [(key: String, meaning: String)] = [
    ("Space ×4", "raise an alert; outside of the sign-in"),
    ("Enter", "the same as Space, while no alert is active"),
    ("hold Space", "end the active alert, after 3 seconds"),
    ("e", "ask whether to end the active alert"),
    ("m", "send the responders of the active alert a message or a place"),
    ("h", "show the history, or go back"),
    ("i", "others' alerts: ↑ ↓ choose, Enter opens, r o t c h w answer"),
    ("↑ ↓", "scroll the history; also PgUp, PgDn, Home and End"),
    ("s", "sign in or out"),
    ("Tab, A–Z", "at the sign-in: next region, or the one with these letters"),
    ("Enter", "at the sign-in: send the code, or sign in with it"),
    ("r, Ctrl-U", "at the sign-in: ask for a new code; clear the field"),
    ("← → Enter", "in a question: choose, press; Esc leaves things as they are"),
    ("Esc", "go back"),
    ("q", "quit"),
  ]
}
