import DeviceCore
import LocalStore

/// What `sync`, the background worker and the queue say.
enum SyncTexts {
  // MARK: What waits

  /// - Parameter next: when it is tried again.
  static func waiting(_ items: UnsentCounts, next: String?) -> String {
    "\(items.text) \(items.count == 1 ? "is" : "are") waiting to be sent" + (next.map { ", next try \($0)." } ?? ".")
  }

  static func nothingSends(_ count: Int) -> String {
    "Nothing sends \(count == 1 ? "it" : "them") now.\n\(Advice.sync)"
  }

  static func standstill(_ words: String) -> String { "\(words).\nNothing is sent now.\n\(Advice.syncOnce)" }
  static func lastTry(_ reason: String) -> String { "Last try: \(reason)" }

  static func refused(_ items: UnsentCounts, _ console: Console) -> String {
    console.styled(.warning, "REFUSED by the server: \(items.text).") + " " + Advice.queue
  }

  static func expired(_ console: Console) -> String {
    console.styled(.warning, "The session has expired.") + " Only alerts are still sent.\n" + Advice.signInAgain
  }
  /// - Parameter isAlertTried: an alert waits, and something here tries to send it.
  static func deviceRefused(isAlertTried: Bool, _ console: Console) -> String {
    console.styled(.warning, "The server does not know this device.") + " It may be the wrong server, for a while.\n"
      + (isAlertTried ? "The alert is tried again and again, without a new sign-in too.\n" : "") + Advice.signInAgain
  }
  static func notSignedIn(_ console: Console) -> String {
    console.styled(.warning, "Not signed in.") + " " + Advice.signIn
  }

  /// Alerts, and ends of alerts, that could not be saved as usual.
  static func unsentOutside(_ count: Int) -> String {
    count == 1
      ? "NOT SENT: 1 message that could not be saved as usual."
      : "NOT SENT: \(count) messages that could not be saved as usual."
  }

  static func sentOutside(_ count: Int) -> String {
    count == 1
      ? "RECEIVED by the server: 1 message that this device cannot save."
      : "RECEIVED by the server: \(count) messages that this device cannot save."
  }

  /// Whether the person is safe to stop worrying about what is queued.
  static func safety(_ items: UnsentCounts) -> String {
    switch items.count {
    case 0: "Nothing is waiting to be sent."
    case 1: "\(items.text) waits here and stays safe."
    default: "\(items.text) wait here and stay safe."
    }
  }

  // MARK: One sync

  static func done(pushed: Int, pulled: Int, _ left: UnsentCounts) -> String {
    "Sent \(pushed), received \(pulled). "
      + (left.count == 0 ? "All is sent." : "\(left.text) still to be sent.")
  }

  /// What a sync did before it failed; nil if that was nothing.
  static func progress(pushed: Int, pulled: Int) -> String? {
    guard pushed + pulled > 0 else { return nil }
    return "Sent \(pushed), received \(pulled) before that; the next sync continues there."
  }

  static let onlyAlerts = "The session has expired: alerts are sent, and nothing is received.\n" + Advice.signInAgain
  static func notSignedIn(_ safety: String) -> String { "NOT sent: not signed in. \(safety)\n" + Advice.signIn }
  static func signInNeeded(_ reason: String, _ safety: String) -> String {
    "NOT synced. \(safety)\nReason: \(reason)\n" + Advice.signIn
  }
  static func noServer(_ safety: String) -> String { "NOT sent: no server is set. \(safety)\n" + Advice.endpoint }
  static func serverRefused(_ reason: String, _ safety: String) -> String {
    "REFUSED by the server. \(safety)\nReason: \(reason)"
  }
  static func tryLater(_ reason: String, _ safety: String) -> String {
    "NOT synced. \(safety)\nReason: \(reason)\nTry again later."
  }
  static func untrusted(_ reason: String, _ safety: String) -> String {
    "NOT synced. \(safety)\nReason: \(reason)\n" + Advice.certificate
  }
  static func refusedItems(_ items: UnsentCounts) -> String { "REFUSED by the server: \(items.text).\n" + Advice.queue }
  static let workerUnfinished = "the background worker has not finished yet"
  static let sessionExpired = "the session has expired"
  static func nothingComesIn(_ standstill: String) -> String {
    "\(standstill); nothing comes in"
  }

  // MARK: When the server hears of a change that is no alert

  static let routineSignIn = "The server hears of it when you have signed in.\n" + Advice.signIn
  static let routineServer = "The server hears of it when one is set.\n" + Advice.endpoint
  static let routineExpired = "NOT sent: the session has expired.\n" + Advice.signInAgain
  static let routineDuringAlert =
    "An alert is active, and the server does NOT know of this yet.\nTell it now: \(CommandName.text) sync"
  static let routineLater = "The server hears of it with the next alert, or by: \(CommandName.text) sync"
  static func routineStandstill(_ standstill: String) -> String {
    "Not sent: \(standstill).\nEnd that process, then: \(CommandName.text) sync"
  }
  static let routineOffline = "The background worker sends it as soon as the server can be reached."
  static let routineSending = "Sending it now."

  // MARK: The background worker

  static let started = "Sync running. Ctrl-C stops it."
  static let standingBy = "Another sync is running; standing by."
  static let sendingAlone = "The other sync has not sent the alert in time. Sending it from here as well."
  static let settingsRead = "The settings changed, and were read again."
  static func settingsFailed(_ reason: String) -> String { "The settings cannot be read; the old ones stay: \(reason)" }
  static func storeFailed(_ reason: String) -> String { "This device's data failed; trying again: \(reason)" }
  static func linesDropped(_ count: Int) -> String { "\(count) lines are missing here: the output was blocked." }

  static let connected = "connected"
  static func disconnected(_ reason: String, next: String?, _ console: Console) -> String {
    console.styled(.warning, "no connection: ") + reason + (next.map { "; next try \($0)" } ?? "")
  }
  static func isActive(isDrill: Bool, _ time: String) -> String { "\(name(isDrill)) of \(time) is active" }
  static func accepted(isDrill: Bool, _ time: String, at received: String?) -> String {
    "\(name(isDrill)) of \(time): accepted by the server" + (received.map { " at \($0)" } ?? "")
  }
  static func ended(isDrill: Bool, _ time: String) -> String { "\(name(isDrill)) of \(time): ended" }
  static func parkedEvent(_ count: Int, _ console: Console) -> String {
    console.styled(.warning, "refused by the server: \(count == 1 ? "1 item" : "\(count) items")")
      + ": \(CommandName.text) queue list"
  }
  private static func name(_ isDrill: Bool) -> String { isDrill ? "drill" : "alert" }

  // MARK: The queue

  static let queueEmpty = "Nothing is queued."
  static let queueKept = "Nothing was discarded. It still waits to be sent."
  static let invalidItem = "INVALID ID: copy it from “\(CommandName.text) queue list”."
  static func queuedAgain(_ id: String, isSending: Bool) -> String {
    "Queued again as \(id).\n" + (isSending ? "Sending it now." : "To send it now: \(CommandName.text) sync")
  }
  static func discarded(_ kind: String, _ id: String, mayHaveArrived: Bool) -> String {
    "Discarded \(kind) \(id).\n"
      + (mayHaveArrived ? "It was tried before, and may have been received by the server." : "It is not sent any more.")
  }
  static func callLost(_ time: String, mayHaveArrived: Bool, _ console: Console) -> String {
    console.styled(.bad, "THIS IS A CALL FOR HELP") + " of \(time).\n"
      + (mayHaveArrived
        ? "It was tried, and may have been received by the server: responders may come."
        : "No attempt to send it is on record here, and it would not be sent any more.")
  }
  static func callMayHaveArrived(_ console: Console) -> String {
    console.styled(.warning, "An alert may be ACTIVE on the server, and responders may have been told.")
      + "\nWhen online, end it: \(CommandName.text) alert deactivate"
  }
  static let discardNeedsTerminal =
    "NOT discarded: this is a call for help.\nThere is no terminal to confirm at. To discard it without asking, add --yes."
  static let endLost = "Your responders would not hear from this device that you are safe."
  static func changeLost(_ kind: String, _ time: String) -> String { "\(kind) of \(time) would never be sent." }
  static let discardPurpose = "discard it"
  static func refusedItem(_ reason: String, _ code: String, _ id: String) -> [String] {
    [
      "    refused: \(reason) (\(code))", "    \(CommandName.text) queue retry \(id)",
      "    \(CommandName.text) queue discard \(id)",
    ]
  }
  static func itemLastTry(_ reason: String) -> String { "    last try: \(reason)" }
  static let parked = "refused"
  static func tries(_ count: Int) -> String {
    switch count {
    case 0: "no attempt on record"
    case 1: "tried once"
    default: "tried \(count) times"
    }
  }
  static func nextTry(_ tries: String, _ time: String) -> String { "\(tries), next \(time)" }
}
