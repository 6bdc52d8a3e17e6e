import DeviceCore
import LocalStore
import Model

/// What the inbox says of the alerts of others. Names, numbers and messages of others arrive here printable.
enum InboxTexts {
  // MARK: One alert

  static func headline(_ name: String, isDrill: Bool, since time: String, _ console: Console) -> String {
    isDrill
      ? console.styled(.warning, "DRILL") + " by \(name) since \(time): only a test, nobody is in danger"
      : console.styled(.bad, "\(name.uppercased()) NEEDS HELP") + " since \(time)"
  }

  static func over(_ name: String, isDrill: Bool, from start: String, to end: String) -> String {
    "\(name): \(isDrill ? "drill" : "alert") of \(start) ended \(end)"
  }

  static let more = " (\(CommandName.text) inbox)"
  static let number = "Number    "
  static let message = "Message   "
  static let earlier = "Earlier   "
  static let place = "Place     "
  static let battery = "Battery   "
  static let coming = "Coming    "
  static let answer = "You       "
  static let page = "Page      "
  static let id = "ID        "
  static let toAnswer = "Answer    "

  static func said(_ time: String) -> String { " (\(time))" }
  static let onThePage = "there are others, which the page lists"

  static func place(_ latitude: Double, _ longitude: Double, within meters: Int?) -> String {
    "\(latitude),\(longitude)" + (meters.map { " within \($0) m" } ?? "")
  }
  static func age(_ duration: String) -> String { ", \(duration) ago" }

  static func unanswered(_ console: Console) -> String { console.styled(.warning, "no answer yet") }
  static func words(_ answer: ResponderAnswer) -> String {
    switch answer {
    case .responding: "responding"
    case .onMyWay: "on the way"
    case .there: "there"
    case .handingOver: "handing over"
    case .cannot: "can't come"
    }
  }
  static let sent = "sent"
  static func notSent(_ console: Console) -> String { console.styled(.warning, "NOT SENT YET") }
  static func refused(_ reason: String, _ console: Console) -> String {
    "newest answer " + console.styled(.bad, "NOT TAKEN") + ": \(reason)"
  }

  static func noContact(since time: String, _ console: Console) -> String {
    console.styled(.warning, "No contact with their device since \(time)")
  }
  static let inContactAgain = "In contact with their device again"

  static func askedAgain(_ console: Console) -> String {
    console.styled(.bad, "ASKED AGAIN: nobody has said yet that they come.")
  }
  static func askedAgainBesides(hasAnswered: Bool, _ console: Console) -> String {
    console.styled(.warning, "asked again: do you \(hasAnswered ? "still " : "")come?")
  }
  static func confirm(_ console: Console) -> String {
    console.styled(.warning, "Do you still come? Answer again.")
  }
  static func howToAnswer(_ id: String) -> String { "\(CommandName.text) respond \(id) [--on-my-way|--there|--cannot]" }

  // MARK: The list

  static let empty = "No alerts from people who named you as a responder."
  static func asOf(_ time: String?, isCurrent: Bool) -> String {
    (time.map { "As of \($0)." } ?? "The server was never asked.")
      + (isCurrent ? "" : " To look again: \(CommandName.text) sync")
  }
  static let signIn = "NOT SIGNED IN: alerts of others come with your account.\n\(Advice.signInFirst)"

  // MARK: Following it

  static let watching = "Watching the inbox. Ctrl-C leaves."
  /// What begins each line about an alert.
  static func label(_ name: String, isDrill: Bool) -> String { isDrill ? "DRILL by \(name)" : name }
  static func noLongerTold(_ label: String) -> String { "\(label): \(notToldAnyMore)" }
  static func nothingComesIn(_ reason: String, _ advice: String?, _ console: Console) -> String {
    console.styled(.warning, "NOTHING NEW COMES IN:") + "\n\(reason)" + (advice.map { "\n\($0)" } ?? "")
  }
  static let noServer = "no server is set"
  static let nothingFetches = "with --no-sync this command does not fetch, and nothing else here does"
  static let toFetch = "To fetch: \(CommandName.text) inbox --watch"
  static func ended(_ name: String, isDrill: Bool, at time: String, _ console: Console) -> String {
    console.styled(.good, "\(name): \(isDrill ? "drill" : "alert") ENDED") + " at \(time)"
  }

  // MARK: Answering

  static let oneAnswer = "NOT saved: give only one of\n--on-my-way, --there, --cannot, --handing-over."
  static let noneActive = "NOT saved: no alert of anybody else is active."
  static func maybeNewer(_ age: String) -> String {
    "\(age)\nA newer alert may not be here yet: \(CommandName.text) sync"
  }
  static func whichOne(_ choices: [String]) -> String {
    "NOT saved: say which alert. These are active:\n" + list(choices)
  }
  static func ambiguous(_ text: String, _ choices: [String]) -> String {
    "AMBIGUOUS: more than one alert fits “\(text)”.\nGive the ID of one:\n" + list(choices)
  }
  static func unknown(_ text: String) -> String {
    "NOT FOUND: no alert of “\(text)” is in your inbox.\nTo see them: \(CommandName.text) inbox --all"
  }
  static func alreadyOver(_ name: String, at time: String) -> String {
    "NOT saved: the alert of \(name) ended at \(time)."
  }
  private static func list(_ choices: [String]) -> String { "  " + choices.joined(separator: "\n  ") }

  static func saved(_ name: String, _ answer: String, isDrill: Bool, _ console: Console) -> String {
    console.styled(.good, "SAVED") + " on this device: to \(name)\(isDrill ? " (DRILL)" : ""): \(answer)"
  }
  static func taken(_ name: String, _ console: Console) -> String {
    console.styled(.good, "SENT.") + " \(name) can see it."
  }
  static let notToldAnyMore = "you are no longer told of this alert"
  static func notKnownToBeSent(_ console: Console) -> String {
    console.styled(.warning, "NOT known to be sent") + ": the server does not show this answer.\n"
      + "To see which counts: \(CommandName.text) inbox"
  }
  static func notTaken(_ reason: String, _ console: Console) -> String {
    console.styled(.bad, "NOT TAKEN by the server") + ": \(reason)."
  }
  static func waits(_ reason: String, _ console: Console) -> String {
    console.styled(.warning, "NOT SENT YET") + ": it stays saved here.\n\(reason)"
  }
  /// Of one alert to which no answer can be saved here.
  struct OtherWay {
    var name: String?
    var phone: String
    var page: String?
  }

  /// - Parameter ways: none where it cannot be read who needs help.
  static func otherWays(_ ways: [OtherWay]) -> String {
    guard !ways.isEmpty else {
      return "Your answer was NOT sent. Call them, or answer on the page that their\nmessage to you leads to."
    }
    let lines = ways.map { way in
      "\n  " + (way.name.map { "\($0): " } ?? "") + "call \(way.phone)"
        + (way.page.map { "\n  or answer on \($0)" } ?? "")
    }
    return "Your answer was NOT sent. Give it another way:" + lines.joined()
  }

  static let asAsked = "To send it: \(CommandName.text) sync"
  static let carriedOn = "A process in the background goes on trying."
  static let workerTries = "The background worker goes on trying."
  static let nothingSends = "Nothing sends it now.\n\(Advice.sync)"
}
