import DeviceCore

/// What the status, the notices and the dialogs of the screen say, together, so that they can be read in one go.
enum ScreenTexts {
  // MARK: An alert that cannot be saved

  static let notSavedTitle = "NOT SAVED"
  static let sentNotSavedTitle = "HELP WAS CALLED, NOT SAVED HERE"
  static let endNotSavedTitle = "THE END IS NOT SAVED"
  static let endSentNotSavedTitle = "ENDED, NOT SAVED HERE"
  static let stillActiveTitle = "NOT EVERYTHING HAS ENDED"
  static let cannotSaveTitle = "AN ALERT CANNOT BE SAVED HERE"
  static let callForHelpNow = "Call for help another way now."
  static let callForHelpOtherwise = "If you need help, call for it another way."

  static func cannotRead(_ reason: String) -> String { "A saved alert cannot be read, and may be active: \(reason)" }
  static func cannotSave(_ reason: String) -> String { "An alert cannot be saved on this device: \(reason)" }
  static func nobodyIsTold(_ reason: String, isCertain: Bool) -> String {
    "NOBODY \(isCertain ? "WILL" : "MAY") BE TOLD: \(reason). \(callForHelpNow)"
  }

  static func nobodyIsToldOfDrill(_ reason: String, isCertain: Bool) -> String {
    "DRILL: NOBODY \(isCertain ? "WOULD" : "MAY") BE TOLD: \(reason)."
  }

  static func nobodyMayBeTold(_ reason: String) -> String {
    "NOBODY MAY BE TOLD: \(reason). Call for help another way too."
  }

  static func unsupported(_ names: [String]) -> String {
    "This server cannot use a channel of \(names.joined(separator: ", ")). See: \(CommandName.text) contacts list"
  }

  // MARK: How the alert stands

  static let notSavedStatus = "The alert is NOT saved."
  static let sentNotSavedStatus = "Help was called. The alert is NOT saved on this device."
  static let unreadableStatus = "Whether an alert is active cannot be read."
  static let noAlert = "No alert is active."

  static func active(_ count: Int, isDrill: Bool, since time: String?) -> String {
    let alert = isDrill ? "DRILL" : "ALERT"
    return (count == 1 ? "\(alert) ACTIVE" : "\(count) \(alert)S ACTIVE") + (time.map { " since \($0)" } ?? "")
  }

  static func last(isDrill: Bool, _ start: String, _ end: String) -> String {
    "\(noAlert) \(isDrill ? "The last drill" : "The last one"): \(start) – \(end)"
  }

  static func responding(_ names: [String]) -> String {
    guard let last = names.last, names.count > 1 else { return "★ \(names.joined()) is responding" }
    return "★ \(names.dropLast().joined(separator: ", ")) and \(last) are responding"
  }

  // MARK: A message to the responders

  static let updateTitle = "Tell your responders"
  static let updateMessage = "Message"
  static let updatePlace = "Place  "
  static let updateHint = "A place is LAT,LON in degrees, as in 52.5200,13.4050, or words."
  static let updateReady = "Enter sends it."
  static let updateSaving = "Saving…"
  static let updateNotSavedTitle = "NOT SENT"
  static let updateSentNotSavedTitle = "SENT, NOT SAVED HERE"

  // MARK: What keeps an alert from being sent

  static let expired = "Session expired: only alerts are still sent. Press s to sign in again."
  static let stale = "This may be out of date: this device's store cannot be followed."
  static let refused = "The server refused something. See: \(CommandName.text) queue list"
  static let notSentNotSignedIn = "Saved on this device. NOT SENT: nobody is told before you sign in. Press s."
  static let endWaitsForSignIn =
    "Not signed in: the server has the alert, and hears of its end when you sign in. Press s."
  static let notSignedIn = "Not signed in: an alert is saved here, and sent when you sign in. Press s."

  static func notSetUp(isAlertUnsent: Bool) -> String {
    let saved = isAlertUnsent ? "Saved on this device. NOT SENT: no" : "Alerts are saved here, but no"
    return "\(saved) server is set up. Quit, then: \(CommandName.text) config set endpoint https://…"
  }

  static func notSending(_ reason: String) -> String { "Nothing is sent from this screen at the moment: \(reason)" }
  static func retrying(_ reason: String) -> String { "Saved here; trying again: \(reason)" }

  // MARK: The title

  static let connected = "● connected"
  static let notSignedInTitle = "○ not signed in"
  static let expiredTitle = "○ session expired"
  static let noServerTitle = "○ no server set up"
  static let noConnection = "✗ no connection"
  static let offline = "✗ offline"
  static func lastContact(_ time: String) -> String { "● last contact \(time)" }
  static func noConnectionSince(_ time: String) -> String { "\(noConnection) since \(time)" }
  static func toSend(_ count: Int) -> String { "\(count) to send" }
  static func refused(_ count: Int) -> String { "\(count) refused" }

  // MARK: The history

  static let history = "History"
  static let loading = "Loading…"
  static let noHistory = "No alert so far."
  static let now = "now"
  static let discarded = "discarded"
  static let discardedNote = ", discarded"
  static let notSentNote = ", not confirmed"
  static let drillNote = ", drill"
  static func position(_ first: Int, _ last: Int, of count: Int) -> String { "\(first)–\(last) of \(count)" }

  // MARK: A terminal that is too small

  static let tooSmall = "Terminal too small."
  static let notSavedShort = "NOT SAVED. \(KeyTexts.pressForAlert)"
  static let cannotSaveShort = "CANNOT SAVE AN ALERT. Call for help another way."
  static let savingShort = "Saving…"
  static let endingShort = "Ending…"
  static func endingPercent(_ percent: Int) -> String { "Ending \(percent) %" }

  // MARK: Questions

  static let endTitle = "End the alert?"
  static func endMessage(isDrill: Bool) -> String {
    "Your responders will be told that \(isDrill ? "the drill is over" : "you are safe")."
  }
  static let endButton = "End it"
  static let errorTitle = "Something went wrong"
  static let ok = "OK"
  static let signOutFailedTitle = "Not signed out"
  static let signOutFailed = "You are still signed in, and nothing was lost."
  static let leavingTitle = "Quit while something is not sent?"
  static let leaveButton = "Quit"
  static let stayButton = "Stay"
  static let ifYouQuit = "If you quit, this device stops trying."
  static let ifYouQuitCarriedOn = "If you quit, a process in the background keeps trying."

  // MARK: What is not sent

  static let beingSaved = "The alert is being saved, and the server does not have it."
  static let inMemory = "The alert is active. It is NOT saved here: whether the server has it is not known."
  static let alertUnsent = "The alert is active. It is saved here, and the server has not confirmed it."
  static let endUnsent = "The alert has ended. That is saved here, and the server has not confirmed it."
  static let whileStopped = "While this is stopped, nothing here sends it: fg"
  static let carriedOnWhileStopped = "While this is stopped, a process in the background keeps trying."
  static let stillActive = "The alert is still active."
  static let stillActiveUnsent = "The alert is still active.\nIt is saved here, and the server has not confirmed it."
  static let serverHasIt = "The server has it."

  static func waiting(_ count: Int) -> String {
    count == 1 ? "1 change is waiting to be sent." : "\(count) changes are waiting to be sent."
  }

  static let carriedOn = "A process in the background keeps trying. To follow it: \(CommandName.text) alert watch"

  static func nothingSends(because reason: String?, isHeard: Bool) -> String {
    let why = reason.map { " \($0.asSentence)\n" } ?? " "
    return "Nothing sends it now.\(why)\(isHeard ? "Run" : "Sign in, then run"): \(CommandName.text) sync --watch"
  }
}
