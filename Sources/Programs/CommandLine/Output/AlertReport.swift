import DeviceCore
import LocalStore
import Model
import Wire

/// How far an alert got, in lines that a person in distress reads at a glance. Nothing is shown before it is so.
struct AlertReport {
  let status: AlertStatus
  /// Responders by name for whom the server has said nothing yet.
  let silentResponders: [String]
  let time: LocalTime
  let console: Console
  /// Then no news comes in.
  var isSessionExpired = false
  /// The store cannot be read, and nothing is known of the rest.
  var isOfSpool = false
  /// Why the store may not keep what the server answers; nil where it does, or where nothing is waited for.
  var obstacle: String?
  /// Whoever speaks to the server, where something is waited for.
  var sender: SenderHealth?

  private static let pending = "not yet"
  private static let unknown = "not known here before this device can save again"

  private var isAnswerKept: Bool { obstacle == nil }

  /// The same as JSON.
  func writeMembers(to json: inout JSONWriter) {
    AlertJSON.writeMembers(status, isAnswerKept: obstacle == nil, to: &json)
  }

  var lines: [String] {
    guard let alert = status.alert else { return (discarded ?? ["No alert so far."]) + syncLines }
    let nobody = alert.isDrill ? nil : status.nobodyIsTold.map { NobodyText.line($0, console) }
    return [nobody].compactMap(\.self) + (discarded ?? []) + [headline(alert)] + unsentEnd + ladder(alert)
      + obstacleLines + syncLines
  }

  private var obstacleLines: [String] {
    guard let obstacle else { return [] }
    return [
      console.styled(.warning, "This device may not be able to save what the server answers:") + " "
        + SyncText.sentence(obstacle)
        + " What is shown as not sent may have been received."
    ]
  }

  /// Nobody may take it for one that was sent.
  private var discarded: [String]? {
    guard let alert = status.discarded else { return nil }
    let name = alert.isDrill ? "drill" : "alert"
    return [
      console.styled(.warning, "DISCARDED:")
        + " the \(name) raised \(time.text(alert.startedAt)) was given up here before the "
        + "server heard of it. Nobody was told. It is not active."
    ]
  }

  /// Ended here is not ended for those who are on their way.
  private var unsentEnd: [String] {
    guard status.isEndUnsent else { return [] }
    return [
      console.styled(.warning, "Your responders do NOT know yet that you are safe.")
        + " To tell them: lifesignal alert deactivate"
    ]
  }

  private func headline(_ alert: Alert) -> String {
    let name = alert.isDrill ? "DRILL" : "ALERT"
    if let endedAt = alert.endedAt {
      let period = "raised \(time.text(alert.startedAt)), ended \(time.text(endedAt))"
      return console.styled(.good, "No alert is active.")
        + " The last one was \(alert.isDrill ? "a drill, " : "")\(period)."
    }
    let duration = LocalTime.duration(milliseconds: time.now.milliseconds(since: alert.startedAt))
    return console.styled(.bad, "\(name) ACTIVE") + " since \(time.text(alert.startedAt)) (\(duration))"
  }

  private func ladder(_ alert: Alert) -> [String] {
    var rows = [row("saved", saving(alert))]
    if let again = status.newestUpdate { rows.append(row("called again", time.text(again.at))) }
    if let message = status.newestUpdate?.message ?? alert.message {
      rows.insert(row("message", message.printable), at: 0)
    }
    rows.append(row("accepted", acceptance(alert)))
    rows += status.responders.map {
      row(
        $0.contactName.printable,
        ReceiptText.text($0, time, console) + (isOfEarlierCall($0) ? ", before the last call" : ""))
    }
    rows += silentResponders.map {
      row($0.printable, silence)
    }
    rows += status.safeReceipts.map {
      row($0.contactName.printable, "“safe now” " + ReceiptText.text($0, time, console))
    }
    return rows
  }

  /// It says nothing of what was said last. What a person answered stands, whichever call it was.
  private func isOfEarlierCall(_ receipt: Receipt) -> Bool {
    guard status.newestUpdate != nil, receipt.state == .sent || receipt.state == .failed else { return false }
    return status.acceptedAt.map { receipt.at < $0 } ?? true
  }

  private func saving(_ alert: Alert) -> String {
    guard !status.isSaved else { return "\(time.text(alert.startedAt)) on this device" }
    return console.styled(.bad, "NOT") + " on this device: in its memory only"
  }

  private func acceptance(_ alert: Alert) -> String {
    guard let acceptedAt = status.acceptedAt else {
      return isAnswerKept ? console.styled(.warning, Self.pending) : Self.unknown
    }
    let note =
      alert.isLate(receivedAt: acceptedAt)
      ? ", late: raised \(time.short(alert.startedAt)), received \(time.short(acceptedAt))" : ""
    return "\(time.text(acceptedAt)) by the server\(note)"
  }

  /// What is known of a responder of whom the server has said nothing.
  private var silence: String {
    guard isAnswerKept, status.isSaved || status.stage == .saved else { return Self.unknown }
    guard status.stage == .accepted else { return console.styled(.warning, "not told yet") }
    if sender?.standstill != nil { return "not known here: the sync process stands still" }
    return isSessionExpired ? "not known here: the session has expired" : "waiting for the server"
  }

  private func row(_ name: String, _ text: String) -> String {
    "  " + name + String(repeating: " ", count: max(2, 14 - name.count)) + text
  }

  private var syncLines: [String] {
    isOfSpool
      ? SyncText.unsentLines(status.sync, sender, console) : SyncText.lines(status.sync, sender, time, console)
  }
}

/// One receipt in words.
enum ReceiptText {
  static func text(_ receipt: Receipt, _ time: LocalTime, _ console: Console) -> String {
    let at = time.text(receipt.at)
    let reason = receipt.reason.map { ": \($0.printable)" } ?? ""
    return switch receipt.state {
    case .queued: "waiting to be sent by \(receipt.channel.rawValue), \(at)\(reason)"
    case .sent: console.styled(.good, "sent") + " by \(receipt.channel.rawValue), \(at)"
    case .seen: console.styled(.good, "seen") + ", \(at)"
    case .acknowledged: console.styled(.good, "IS RESPONDING") + ", \(at)"
    case .failed: console.styled(.bad, "FAILED") + " by \(receipt.channel.rawValue), \(at)\(reason)"
    }
  }
}

/// Calls for help and ends that lie outside of the store, in words.
enum UnsentText {
  static func left(_ count: Int) -> String {
    count == 1
      ? "1 message could not be saved as usual and is NOT SENT."
      : "\(count) messages could not be saved as usual and are NOT SENT."
  }

  static func sent(_ count: Int) -> String {
    count == 1
      ? "RECEIVED by the server: 1 message that this device cannot save."
      : "RECEIVED by the server: \(count) messages that this device cannot save."
  }
}

/// How device and server agree, in words.
enum SyncText {
  /// Only what a person has to know: nothing while all is well.
  static func lines(
    _ sync: SyncOverview, _ sender: SenderHealth?, _ time: LocalTime, _ console: Console
  ) -> [String] {
    var lines = unsentLines(sync, sender, console)
    if sync.pending > 0 {
      // Nobody tries again where nobody is there to do it.
      let nextAttemptAt = sender == .moving ? sync.nextAttemptAt : nil
      let next = nextAttemptAt.map { $0 > time.now ? ", next try \(time.text($0))" : "" } ?? ""
      lines.append(
        "\(things(sync.pending)) \(sync.pending == 1 ? "is" : "are") saved here and not sent yet\(next)."
          + (sender == .absent && sync.signedIn
            ? " Nothing sends \(sync.pending == 1 ? "it" : "them") now. \(Advice.sync)" : ""))
    }
    if let standstill = sender?.standstill {
      lines.append("\(capitalized(standstill)). Only alerts are sent without it.")
    }
    if let error = lastError(sync) { lines.append("Last try: \(sentence(error))") }
    if sync.parked > 0 {
      lines.append(
        console.styled(.warning, "The server refused \(things(sync.parked)).") + " See: lifesignal queue list")
    }
    if sync.isSessionExpired {
      lines.append(
        console.styled(.warning, "The session has expired.") + " Only alerts may still go out. "
          + Advice.signInAgain)
    } else if !sync.signedIn {
      lines.append(console.styled(.warning, "Not signed in.") + " " + Advice.signIn)
    }
    return lines
  }

  /// What lies outside of the store, and who sends it.
  static func unsentLines(_ sync: SyncOverview, _ sender: SenderHealth?, _ console: Console) -> [String] {
    guard sync.unsentOutside > 0 else { return [] }
    let next = sender == .moving ? "" : " Nothing sends \(sync.unsentOutside == 1 ? "it" : "them") now. \(Advice.sync)"
    return [console.styled(.bad, UnsentText.left(sync.unsentOutside)) + next]
  }

  /// The last exchange's error.
  static func lastError(_ sync: SyncOverview) -> String? { sync.lastError?.printable }

  /// That nothing is lost.
  static func safety(pending: Int) -> String {
    switch pending {
    case 0: "Nothing waits to be sent."
    case 1: "1 thing waits here and stays safe."
    default: "\(pending) things wait here and stay safe."
    }
  }

  /// A message as a sentence: it ends in one full stop.
  static func sentence(_ message: String) -> String {
    var text = message[...]
    while let last = text.last, last == "." || last == " " { text.removeLast() }
    return text.hasSuffix("!") || text.hasSuffix("?") ? String(text) : text + "."
  }

  static func capitalized(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }

  static func things(_ count: Int) -> String { count == 1 ? "1 thing" : "\(count) things" }
}

/// What to do next.
enum Advice {
  static let signIn = "To send what is saved: lifesignal sign-in YOUR-PHONE-NUMBER"
  static let signInAgain = "Sign in again: lifesignal sign-in YOUR-PHONE-NUMBER"
  static let addResponder = "Add one: lifesignal contacts add PHONE --name NAME --responder --channel URL"
  static let sync = "Try again: lifesignal sync   Keep trying: lifesignal sync --watch"
  static let endpoint = "Say where your server is: lifesignal config set endpoint https://…"
}
