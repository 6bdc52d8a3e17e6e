import FoundationEssentials
import LifeSignalFeatures

/// What the screen says of the alerts of others, together, so that it can be read in one go.
enum InboxTexts {
  // MARK: One line while somebody else needs help

  static let needsHelp = " NEEDS HELP"
  static let drill = ": DRILL"
  static func since(_ time: String) -> String { " since \(time)" }
  static func others(_ count: Int) -> String { count == 1 ? ", and 1 other" : ", and \(count) others" }
  static func open(_ leaving: String) -> String { ": press \(leaving)i" }

  // MARK: The list

  static let list = "Alerts of others"
  static let none = "No alerts from people who named you as a responder."
  static let noneNotSignedIn = "Sign in to get the alerts of others: press s."
  static let notAnswered = "not answered"

  static func state(of alert: ReceivedAlert, _ clock: ClockText) -> String {
    let start = clock.short(alert.startTime)
    if let end = alert.endTime {
      return "\(alert.isDrill ? "drill" : "safe"), \(start) – \(clock.end(end, of: alert.startTime))"
    }
    return "\(alert.isDrill ? "DRILL" : "NEEDS HELP") since \(start)"
  }

  static func answerInList(_ alert: ReceivedAlert) -> String {
    if alert.needsAnswer, alert.isAskedToConfirm { return "still coming?" }
    guard let answer = alert.answer else { return alert.isActive ? notAnswered : "" }
    return words(answer.kind) + (alert.isAnswerWaiting ? ", not sent" : "")
  }

  static func words(_ answer: ReceivedAlert.Answer.Kind) -> String {
    switch answer {
    case .responding: "responding"
    case .onMyWay: "on my way"
    case .there: "there"
    case .handingOver: "handing over"
    case .cannot: "can't come"
    }
  }

  // MARK: An open alert

  static func noContact(since time: String) -> String { "No contact with their device since \(time)." }
  static let stillComing = "Are you still coming? Answer again."
  static let noAnswer = "You have not answered."
  static let saving = "Saving…"
  static let line = "Line"
  static let lineHint = "Enter, then an answer's key: this line goes with it."
  static let notSavedTitle = "ANSWER NOT SAVED"
  static let answerOtherwise = "It was NOT sent. Call them, or answer on their page."

  static func title(of alert: ReceivedAlert, _ clock: ClockText) -> String {
    let start = clock.short(alert.startTime)
    if let end = alert.endTime {
      let period = "\(start) – \(clock.end(end, of: alert.startTime))"
      return alert.isDrill ? "The drill of \(alert.person) has ended. \(period)" : "\(alert.person) is safe. \(period)"
    }
    return alert.isDrill
      ? "DRILL of \(alert.person) since \(start). Nobody is in danger."
      : "\(alert.person.uppercased()) NEEDS HELP since \(start)"
  }

  static func answer(_ answer: ReceivedAlert.Answer, isWaiting: Bool, at time: String?) -> String {
    let text = words(answer.kind) + (answer.text.map { " “\($0)”" } ?? "")
    let sent = isWaiting ? "; saved here, NOT SENT yet" : time.map { "; sent \($0)" } ?? ""
    return "Your answer: \(text)\(sent)"
  }

  static func refused(_ reason: String) -> String { "Your answer did NOT count: \(reason)" }
  static func message(_ text: String) -> String { "“\(text)”" }
  static func earlier(_ text: String, at time: String) -> String { "Before, \(time): “\(text)”" }
  static let moreMessages = "There are more messages: see the page."

  static func place(_ place: ReceivedAlert.Place, seconds: TimeInterval) -> String {
    let location = "\(rounded(place.location.latitude)),\(rounded(place.location.longitude))"
    let accuracy = place.accuracyMeters.map { " ± \(Int(min(max($0, 0), 1e7).rounded())) m" } ?? ""
    return "Place: \(location)\(accuracy), \(age(seconds))"
  }

  /// To about a meter.
  private static func rounded(_ degrees: Double) -> Double { (degrees * 1e5).rounded() / 1e5 }

  private static func age(_ interval: TimeInterval) -> String {
    let seconds = Int(min(max(interval, 0), 1e9))
    switch seconds {
    case ..<60: return "\(seconds) s ago"
    case ..<3600: return "\(seconds / 60) min ago"
    case ..<86_400: return "\(seconds / 3600) h ago"
    default: return "\(seconds / 86_400) d ago"
    }
  }

  static func battery(_ percent: Int) -> String { "Battery: \(percent) %" }

  static func comers(_ names: [String]) -> String {
    names.isEmpty ? "Nobody else is coming yet." : "Coming: \(names.joined(separator: ", "))"
  }

  static func askedAgain(_ count: Int) -> String {
    "The responders were asked again \(count == 1 ? "once" : "\(count) times")."
  }

  static func call(_ phone: String) -> String { "Call: \(phone)" }
  static func page(_ url: String) -> String { "Page: \(url)" }

  static func answerKeys(canHandOver: Bool) -> String {
    "r: I'm responding  o: on my way  t: I'm there  c: I can't" + (canHandOver ? "  h: I'm handing over" : "")
  }

  /// Of an answer that counts only with its second key press.
  static func pressAgain(_ answer: ReceivedAlert.Answer.Kind) -> String {
    answer == .handingOver
      ? "Press h again to say that you are handing over." : "Press c again to say that you can't come."
  }
}
