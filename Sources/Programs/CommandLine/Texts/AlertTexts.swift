import DeviceCore
import LocalStore

/// What raising and ending an alert say.
///
/// Every line of these texts has at most 80 columns. If something failed, the first word says so.
enum AlertTexts {
  // MARK: Raising

  static let leftUnraised = "Not raised. Nothing was sent."
  static let signalUnraised = "Not raised."
  static let raisingNeedsTerminal =
    "NOT raised: there is no terminal to confirm at.\nTo raise it without asking, add --yes."
  static let leaveHint = "q or Esc leaves without raising it."

  static func pressToRaise(isDrill: Bool) -> String {
    "Press any key 4 times to raise \(isDrill ? "a DRILL" : "the alert")."
  }

  static func warning(_ text: String) -> String { "WARNING: \(text)" }
  static let messageCut = "The message was cut: it was too long, or not plain text."
  static let locationMissing = "--location has no value: your location is not included."
  static let locationUnread = "The location cannot be read. It is in the message as you wrote it."
  static let locationRepeated = "More than one location was given. The others are in the message."

  static func saved(isDrill: Bool, at time: String, _ console: Console) -> String {
    console.styled(.good, (isDrill ? "DRILL " : "") + "SAVED") + " on this device at \(time)."
  }

  static func alreadyActive(isDrill: Bool, since time: String, _ console: Console) -> String {
    console.styled(.bad, (isDrill ? "DRILL " : "") + "ALREADY ACTIVE") + " since \(time)."
  }

  static let serverHasIt = "The server has received it."

  static func noDrill(_ active: String, isReceived: Bool, _ console: Console) -> String {
    console.styled(.warning, "NO DRILL was raised:") + " a real alert is " + active
      + (isReceived ? "" : "\nThe server has NOT received your last call for help yet.")
  }

  static func callSaved(_ console: Console) -> String {
    console.styled(.good, "Your new call is SAVED") + " on this device.\n"
      + console.styled(.warning, "The server has NOT received it yet.")
  }

  static func callNotSaved(_ console: Console) -> String {
    console.styled(.bad, "NOT saved: there is no room for what you say now.")
  }

  /// - Parameter reason: a sentence.
  static func savedOutside(_ reason: String?) -> String {
    "NOT SENT YET. The alert is saved in a file of its own on this device.\n"
      + "It is sent as soon as this device can save as usual. See: \(CommandName.text) doctor"
      + (reason.map { "\nReason: \($0)" } ?? "")
  }

  // MARK: News of an active alert

  static let accuracyUnread = "The accuracy cannot be read. It is not included."
  static let accuracyAlone = "An accuracy needs a location. It is not included."
  static let batteryUnread = "The battery level cannot be read. It is not included."
  static let nothingNew = "NOTHING to send: give --message, --location or --battery."
  static let nothingToUpdate =
    "NOT sent: no alert is active on this device.\nTo call for help now: \(CommandName.text) sos"

  static func newsSaved(at time: String, _ console: Console) -> String {
    console.styled(.good, "SAVED") + " on this device at \(time)."
  }

  static func placeFound(_ place: FoundPlace, _ console: Console) -> String {
    let accuracy = place.accuracyMeters.map { ", within \(Int($0.rounded(.up))) m" } ?? ""
    return console.styled(.good, "PLACE SAVED") + " from gpsd: \(place.location.latitude),\(place.location.longitude)"
      + accuracy
  }

  static let gpsdUnread = "gpsd must be HOST:PORT, as in localhost:2947, or off. It was not asked."

  static let callEndedMeanwhile =
    "NOT USED: the alert had ended before this reached the server.\nTo call for help now: \(CommandName.text) sos"

  // MARK: Sending what was just raised

  static func unsent(notSignedIn console: Console) -> String {
    console.styled(.warning, "NOT SENT: this device is not signed in.") + " The alert stays saved.\n" + Advice.signIn
  }

  static func unsent(noServer console: Console) -> String {
    console.styled(.warning, "NOT SENT: no server is set.") + " The alert stays saved.\n" + Advice.endpoint
  }

  static let unsentAsAsked = "NOT SENT YET (--no-sync). To send it: \(CommandName.text) sync"
  static let sending = "Sending it now. Wait for RECEIVED; the alert stays saved in any case."

  // MARK: Raising where this device cannot save

  static func sendingUnsaved(isDrill: Bool) -> String {
    "NOT saved on this device yet. "
      + (isDrill ? "Sending the drill without saving it." : "Calling for help without saving it.")
  }

  static func sentFromMemory(isDrill: Bool, at time: String, _ console: Console) -> String {
    let what = isDrill ? "DRILL SENT. The server received it" : "SENT. The server received your call for help"
    return console.styled(.good, "\(what) at \(time).")
  }

  static let tellsResponders = "It tells your responders now."

  static func sentNotSaved(_ reason: String, canEnd: Bool) -> String {
    "The alert is NOT saved on this device.\nReason: \(reason)\n"
      + (canEnd
        ? "This device cannot show who answers.\nWhen you are safe: \(CommandName.text) alert deactivate"
        : "This device cannot show who answers, and cannot end the alert.\n"
          + "When you are safe, end it on another device, or tell your responders yourself.")
  }

  static func notSaved(isDrill: Bool, _ reason: String) -> String {
    (isDrill ? "The drill is NOT saved." : "The alert is NOT saved. Call for help another way now.")
      + "\nReason: \(reason)"
  }

  /// - Parameter isUnknown: the server may have it, and its answer did not come through.
  static func notSentEither(_ reason: String, isUnknown: Bool) -> String {
    (isUnknown ? "\nIt is NOT known whether the server has it. Reason:" : "\nIt could NOT be sent either. Reason:")
      + "\n\(reason)"
  }

  /// - Parameter isCarriedOn: a process in the background sends it.
  static func callInMemory(isCarriedOn: Bool) -> String {
    "\nIt is kept in memory. "
      + (isCarriedOn
        ? "\(DeliveryTexts.backgroundTries)\nSee: \(CommandName.text) alert status"
        : "To send it: \(CommandName.text) sync")
      + "\nNot wanted: \(CommandName.text) alert deactivate"
  }

  static let nothingQueued = "nothing is queued"
  static let cannotBeSaved = "this device cannot save"

  // MARK: Ending

  static let stillActive = "The alert is still ACTIVE."
  static let nothingToEnd = "No alert is active. Nothing to end."
  static func stillUntold(isDrill: Bool) -> String {
    "Your responders are still not told that \(isDrill ? "the drill is over" : "you are safe")."
  }
  static let endingNeedsTerminal =
    "NOT ended: the alert is still ACTIVE.\nThere is no terminal to confirm at. To end it without asking, add --yes."
  static let askingServer = "No alert is active on this device. Asking the server about other devices."

  static func notAsked(_ reason: String, next: String = endAgain) -> String {
    "NOT CHECKED: an alert of another device may be ACTIVE.\n"
      + "Nothing was ended. The server could not be asked. Reason:\n\(reason)\n\(next)"
  }
  static let endAgain = "Try again, or end it on that device: \(CommandName.text) alert deactivate"

  static func noneKnown(_ reason: String) -> String {
    "NOTHING ended: this device knows of no active alert.\nIf another device raised one, end it there.\n\(reason)"
  }

  static func noneReadable(_ reason: String) -> String {
    "NOTHING ended: a saved alert cannot be read, and may be active.\nReason: \(reason)"
  }

  static func endDiscarded(isDrill: Bool, raised time: String, _ console: Console) -> String {
    console.styled(.warning, "Your responders do NOT know that the \(isDrill ? "drill" : "alert") of \(time) is over.")
      + "\nIts end was discarded here before it was sent."
  }

  static func active(_ count: Int, isDrill: Bool, since times: String, _ console: Console) -> String {
    let what = (isDrill ? "DRILL" : "ALERT") + (count > 1 ? "S" : "")
    let active = console.styled(.bad, (count > 1 ? "\(count) " : "") + what + " ACTIVE")
    return "\(active) since \(times)." + (count > 1 ? "\nThis ends all of them." : "")
  }

  static func typeSafe(_ console: Console) -> String {
    "If you are safe, type " + console.styled(.strong, "safe") + " and press Enter: "
  }

  static func raisedMeanwhile(isDrill: Bool, since time: String, _ console: Console) -> String {
    console.styled(.bad, "STILL ACTIVE:")
      + " \(isDrill ? "a drill" : "an alert") since \(time), which you were not asked about."
      + "\nLook at it, and if you are safe, end it too:\n"
      + "  \(CommandName.text) alert status\n  \(CommandName.text) alert deactivate"
  }

  /// - Parameter reason: a sentence.
  static func othersUnknown(_ reason: String, _ console: Console) -> String {
    console.styled(.bad, "UNKNOWN whether another alert is active:") + " the data here cannot be read."
      + "\nReason: \(reason)\nLook: \(CommandName.text) alert status"
  }

  static func endRefused(_ count: Int) -> String {
    "NOT ENDED: the server did not take \(count == 1 ? "the end of an alert" : "the ends of \(count) alerts").\n"
      + "Look, and if you are safe, end it once more:\n"
      + "  \(CommandName.text) alert status\n  \(CommandName.text) alert deactivate"
  }

  static func ended(_ count: Int, isDrill: Bool, at time: String, _ console: Console) -> String {
    console.styled(.good, (isDrill ? "DRILL " : "") + "ENDED") + (count > 1 ? " \(count) alerts" : "")
      + " on this device at \(time)."
  }

  /// - Parameter isUnconfirmed: the server may have it all the same.
  static func safetyUnknown(isDrill: Bool, isUnconfirmed: Bool = false) -> String {
    "Your responders \(isUnconfirmed ? "may" : "do") NOT know yet that \(isDrill ? "the drill is over" : "you are safe")."
  }

  static func endNeedsSignIn(isDrill: Bool) -> String {
    safetyUnknown(isDrill: isDrill) + "\nThis device is not signed in. They are told as soon as it is.\n"
      + Advice.signIn
  }
  static func endNeedsServer(isDrill: Bool) -> String {
    safetyUnknown(isDrill: isDrill) + "\nNo server is set. They are told as soon as one is.\n" + Advice.endpoint
  }
  static func endUnsentAsAsked(isDrill: Bool) -> String {
    safetyUnknown(isDrill: isDrill) + "\nNot sent (--no-sync). To tell them: \(CommandName.text) sync"
  }
  static func endSending(isDrill: Bool) -> String {
    isDrill
      ? "Telling your responders that the drill is over. Wait for RECEIVED."
      : "Telling your responders that you are safe. Wait for RECEIVED."
  }

  // Where nobody is to be told.
  static let endNeedsSignInAlone = "The server does not know yet: this device is not signed in.\n" + Advice.signIn
  static let endNeedsServerAlone = "The server does not know yet: no server is set.\n" + Advice.endpoint
  static let endUnsentAsAskedAlone = "The server does not know yet (--no-sync). To send it: \(CommandName.text) sync"
  static let endSendingAlone = "Sending it now. Wait for RECEIVED."

  static func endSentFromMemory(isDrill: Bool, at time: String, _ console: Console) -> String {
    let what = isDrill ? "DRILL ENDED. The server received its end" : "ENDED. The server received that you are safe,"
    return console.styled(.good, "\(what) at \(time).") + "\n" + tellsResponders
  }

  /// - Parameter fault: begins with "NOT saved".
  static func endSentNotSaved(_ fault: String) -> String {
    "On this device the end is \(fault)\nIt may show the alert as active until it can save again."
  }

  static func endNotSent(
    isDrill: Bool, _ reason: String, _ fault: String, isUnknown: Bool
  ) -> String {
    "Your responders \(isUnknown ? "may" : "do") NOT know that \(isDrill ? "the drill is over" : "you are safe"). "
      + "Tell them another way.\n"
      + (isUnknown ? "It is not known whether the server has it." : "The server did not take it.")
      + " Reason:\n\(reason)\nOn this device too the end is \(fault)"
  }

  /// - Parameter isCarriedOn: a process in the background sends it.
  static func endInMemory(isCarriedOn: Bool) -> String {
    "\nThe end is kept in memory. "
      + (isCarriedOn ? DeliveryTexts.backgroundTries : "To send it: \(CommandName.text) alert deactivate")
  }

  // MARK: At the keyboard

  // Functions, not stored: signal handlers write them, and must not initialize anything.
  static var stoppedSaved: StaticString { "\nStopped. What is saved on this device stays saved, and is not lost.\n" }
  static var stoppedCarriedOn: StaticString {
    "\nStopped here. It is saved, and a process in the background goes on sending it.\n"
  }
  static var stoppedSignIn: StaticString { "\nStopped. You are NOT signed in.\n" }

  // MARK: In front of a message

  static let notRaised = "NOT raised: "
  static func notRaised(isDrill: Bool, _ reason: String) -> String {
    notRaised + reason + (isDrill ? "" : "\nCall for help another way now.")
  }
  static let notEnded = "NOT ended: "
  static let notSavedPrefix = "NOT saved: "
  static let raiseNow = "To raise an alert now: \(CommandName.text) sos"
}
