import DeviceCore
import LocalStore
import Model

/// How far an alert got, in words: the report, the messages to responders, and what is said while it is sent.
///
/// Every line of these texts has at most 80 columns, but for names and reasons of others.
enum DeliveryTexts {
  // MARK: The report

  static let noAlert = "No alert so far."
  static let saved = "saved"
  static let alsoActive = "also active"
  static let updated = "updated"
  static let message = "message"
  static let accepted = "accepted"
  static let notYet = "not yet"
  static let notTold = "not told yet"
  static let unknown = "not known here before this device can save again"
  static let unknownStandstill = "not known here: the sync process is frozen"
  static let unknownExpired = "not known here: the session has expired"
  static let waitingForServer = "waiting for the server"
  static let toldLater = "told later, if nobody comes"
  static let beforeLastCall = ", before the last call"
  static func safeNow(isDrill: Bool) -> String { isDrill ? "“drill over” " : "“safe now” " }

  static func active(isDrill: Bool, since time: String, _ duration: String, _ console: Console) -> String {
    console.styled(.bad, (isDrill ? "DRILL" : "ALERT") + " ACTIVE") + " since \(time) (\(duration))"
  }

  static func severalActive(_ count: Int, isDrill: Bool) -> String {
    "\(count) \(isDrill ? "drills" : "alerts") are active. The answers to all of them are shown."
  }
  static func alsoActive(since time: String) -> String { "since \(time)" }

  static func ended(isDrill: Bool, raised: String, ended: String, _ console: Console) -> String {
    console.styled(.good, "No alert is active.")
      + "\nThe last one was \(isDrill ? "a drill, " : "")raised \(raised), ended \(ended)."
  }

  static func lastKnown(raised: String, ended: String) -> String {
    "The last one known here was raised \(raised), ended \(ended)."
  }

  static func discarded(isDrill: Bool, raised time: String, _ console: Console) -> String {
    console.styled(.warning, "DISCARDED:") + " the \(isDrill ? "drill" : "alert") raised \(time) is not active.\n"
      + "It was discarded here before the server confirmed it.\n"
      + "If it had been tried, the server may have it, and responders may have been told.\n"
      + "To end it there too, when online: \(CommandName.text) alert deactivate"
  }

  static func endUnsent(isDrill: Bool, _ console: Console) -> String {
    console.styled(.warning, AlertTexts.safetyUnknown(isDrill: isDrill))
      + "\nTo tell them: \(CommandName.text) alert deactivate"
  }

  static func savedHere(_ time: String) -> String { "\(time) on this device" }
  static func savedInMemory(_ console: Console) -> String {
    console.styled(.bad, "NOT") + " on this device: in its memory only"
  }

  static func acceptedAt(_ time: String, late: String) -> String { "\(time) by the server\(late)" }
  static func late(raised: String, received: String) -> String { ", late: raised \(raised), received \(received)" }

  static func obstacle(_ reason: String, _ console: Console) -> String {
    console.styled(.warning, "This device may not be able to save the server's answers.") + "\nReason: \(reason)\n"
      + "What is shown as not sent may have been received, and answers may be missing."
  }

  // MARK: One message to one responder

  static func queued(_ channel: String, _ time: String, _ reason: String) -> String {
    "waiting to be sent by \(channel), \(time)\(reason)"
  }
  static func sent(_ channel: String, _ time: String, _ console: Console) -> String {
    console.styled(.good, "sent") + " by \(channel), \(time)"
  }
  /// With a reason where they answered that they do not come.
  static func seen(_ time: String, _ reason: String, _ console: Console) -> String {
    console.styled(reason.isEmpty ? .good : .warning, "seen") + ", \(time)\(reason)"
  }
  /// `words`: what they said, such as that they are on the way.
  static func responding(_ time: String, _ words: String?, _ console: Console) -> String {
    console.styled(.good, "IS RESPONDING") + said(words) + ", \(time)"
  }
  static func isResponding(_ name: String, _ time: String, _ words: String?, _ console: Console) -> String {
    console.styled(.good, "\(name) IS RESPONDING") + said(words) + ", \(time)"
  }
  private static func said(_ words: String?) -> String { words.map { " (\($0))" } ?? "" }
  static func failed(_ channel: String, _ time: String, _ reason: String, _ console: Console) -> String {
    console.styled(.bad, "FAILED") + " by \(channel), \(time)\(reason)"
  }
  static func noWay(to name: String, _ time: String, _ console: Console) -> String {
    console.styled(.bad, "NOT TOLD") + ", \(time): no way to reach \(name)"
  }

  // MARK: Nobody is told

  /// In a drill in words that are no call for help.
  static func nobody(_ nobody: NobodyIsTold, isDrill: Bool, _ console: Console) -> String {
    let byApp = nobody.isCertain ? "" : "\nThe app tells only those who use LifeSignal themselves."
    guard !isDrill else {
      return nobodyInDrill(nobody.reason, isCertain: nobody.isCertain, console) + byApp + "\n" + whatToDo(nobody)
    }
    return console.styled(.bad, "NOBODY \(nobody.isCertain ? "WILL" : "MAY") BE TOLD: \(nobody.reason).") + byApp
      + "\nCall for help another way now.\n" + whatToDo(nobody)
  }

  static func nobodyInDrill(_ reason: String, isCertain: Bool = true, _ console: Console) -> String {
    console.styled(.warning, "DRILL: NOBODY \(isCertain ? "WOULD" : "MAY") BE TOLD: \(reason).")
  }

  private static func whatToDo(_ nobody: NobodyIsTold) -> String {
    switch nobody {
    case .noResponders: Advice.addResponder
    case .noChannel, .unreachable, .unsupported: Advice.addChannel
    case .refused: Advice.queue
    }
  }

  // MARK: While it is sent

  static func received(at time: String?, _ console: Console) -> String {
    console.styled(.good, "RECEIVED") + " by the server" + (time.map { " at \($0)" } ?? "") + "."
  }

  static func answerNotSaved(_ reason: String) -> String {
    "This device cannot save the server's answer, and may show it as not sent.\nReason: \(reason)"
  }

  static func raisedAnew(_ console: Console) -> String {
    console.styled(.warning, "The alert had ended on another device, or the server lost it.")
      + "\nYour call is a NEW alert now, and your responders are told of it."
  }

  static func notTaken(_ reason: String, isCall: Bool, isDrill: Bool, _ console: Console) -> String {
    console.styled(.bad, "NOT TAKEN by the server.")
      + (isDrill ? "" : isCall ? " Call for help another way now." : " Tell your responders another way.")
      + "\nReason: \(reason)\nIt stays saved on this device. " + Advice.queue
  }

  /// - Parameter isUnknown: the server may have it, and its answer did not come through.
  static func retrying(_ reason: String, isUnknown: Bool, _ console: Console) -> String {
    console.styled(.warning, isUnknown ? "NOT CONFIRMED YET." : "NOT SENT YET.") + " Trying again.\nReason: \(reason)"
  }

  static func notEnded(isOneOfSeveral: Bool, _ console: Console) -> String {
    console.styled(.bad, isOneOfSeveral ? "ONE IS NOT ENDED:" : "NOT ENDED:")
      + " help was called for again on another device.\n"
      + "\(isOneOfSeveral ? "That" : "The") alert is still ACTIVE. Look at it, and if you are safe, end it once more:\n"
      + "  \(CommandName.text) alert status\n  \(CommandName.text) alert deactivate"
  }

  static let sendingBeside = "The background worker has not sent it yet. Sending it from here as well."
  static func sendingWithout(_ standstill: String) -> String { "\(standstill). Sending without it." }
  static let nothingComesIn = "Who responds is not shown here while the sync process is frozen."
  static let earlierCall = "\n    That was before this call. See: \(CommandName.text) alert status"
  static let newsNeedsSignIn =
    "The session has expired: who responds is not shown here.\n" + Advice.signInAgain

  static func anotherActive(isDrill: Bool, since time: String, _ console: Console) -> String {
    console.styled(.bad, "ANOTHER \(isDrill ? "DRILL" : "ALERT") IS ACTIVE")
      + " since \(time), from another device.\nSee: \(CommandName.text) alert status"
  }

  static func notSent(isUnknown: Bool, _ console: Console) -> String {
    isUnknown
      ? console.styled(.warning, "NOT CONFIRMED.") + " It is not known here whether the server has it.\n"
        + "It stays saved on this device, and can be sent again without harm."
      : console.styled(.warning, "NOT SENT YET.") + " It stays saved on this device."
  }
  static func cannotSend(_ reason: String) -> String { "It cannot be sent from here now.\nReason: \(reason)" }
  static func respondersUntold(isDrill: Bool, isUnknown: Bool) -> String {
    let verb = isUnknown ? "may" : "do"
    return isDrill
      ? "Your responders \(verb) not know of the drill yet."
      : "Your responders \(verb) NOT know yet. If you can, call for help another way too."
  }
  static let keyRefused =
    "The server does not take this device's alerts. It may be the wrong server.\n" + Advice.signInAgain
  static let carriedOn = "\(backgroundTries) To follow it: \(CommandName.text) alert watch"
  static let backgroundTries = "A process in the background keeps trying."
  static func notCarriedOn(_ reason: String) -> String { "Nothing sends it now. \(reason)\n" + Advice.sync }
  static let toFollow = "To see who responds: \(CommandName.text) alert watch"
  static let workerKeepsTrying = "The background worker keeps trying. See: \(CommandName.text) alert status"
  static let nothingSendsIt = "Nothing sends it now.\n" + Advice.sync

  // MARK: While it is watched

  static let watching = "Following the alert. Ctrl-C stops following; the alert stays active."
  static let watchOver = "The alert has ended."
  static let noneToWatch = "No alert is active.\nTo call for help now: \(CommandName.text) sos"
  static func watchLeft(isCarriedOn: Bool) -> String {
    "No longer following. The alert is still ACTIVE.\n"
      + (isCarriedOn
        ? "A process in the background keeps this device in touch with the server."
        : "Nothing here may be in touch with the server now. See: \(CommandName.text) status")
  }
  static func silent(since time: String?, _ console: Console) -> String {
    console.styled(.warning, "NO WORD FROM THE SERVER") + (time.map { " since \($0)" } ?? "")
      + ": who responds now is not known here"
  }
  static let heardAgain = "in touch with the server again"

  // MARK: Where the data cannot be read

  static func unreadable(_ reason: String) -> String {
    "NOTHING MORE IS SENT: this device's data cannot be read. See: \(CommandName.text) doctor\n"
      + "The alert is shown from a file of its own.\nReason: \(reason)"
  }
  static func unreadableInMemory(_ reason: String) -> String {
    "This device's data cannot be read. See: \(CommandName.text) doctor\nReason: \(reason)"
  }
  static func unknownStatus(_ reason: String) -> String {
    "UNKNOWN whether an alert is active: the data here cannot be read.\nReason: \(reason)"
  }

  // MARK: The history

  static let moreHistory = "There are older alerts: --limit goes up to 1000."
  static let historyAccepted = "accepted"
  static let historyUnsent = "not accepted yet"
  static let historyDiscarded = "discarded, never confirmed by the server"
  static let historyActive = "ACTIVE"
  static func historyEnded(_ time: String) -> String { "ended \(time)" }
}
