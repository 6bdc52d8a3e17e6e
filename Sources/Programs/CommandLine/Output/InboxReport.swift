import LocalStore
import Model
import Wire

/// One alert of the inbox, for a person.
struct InboxReport {
  let entry: InboxEntry
  let time: LocalTime
  let console: Console
  /// What `respond` takes for this alert: the start of its id.
  let handle: String

  init(_ entry: InboxEntry, among entries: [InboxEntry], _ time: LocalTime, _ console: Console) {
    self.entry = entry
    self.time = time
    self.console = console
    handle = Self.handle(of: entry, among: entries)
  }

  private var alert: InboxAlert { entry.alert }

  /// The line that says the most.
  var headline: String {
    let name = alert.person.printable
    guard let endedAt = alert.endedAt else {
      return InboxTexts.headline(name, isDrill: alert.isDrill, since: time.short(alert.startedAt), console)
    }
    return InboxTexts.over(
      name, isDrill: alert.isDrill, from: time.short(alert.startedAt), to: time.short(endedAt))
  }

  /// That their device is silent; nil where it is not, as far as this device knows.
  var silence: String? { alert.noContactSince.map { InboxTexts.noContact(since: time.short($0), console) } }

  var lines: [String] { [headline] + (details + own + ends).map { "  " + $0 } }

  /// What is known of the person.
  private var details: [String] {
    [
      silence,
      alert.name == nil ? nil : InboxTexts.number + alert.phone.printable,
      alert.message.map { InboxTexts.message + InboxDetails.quoted($0) },
    ].compactMap(\.self) + earlier + more
  }

  /// What they said before, newest first.
  private var earlier: [String] {
    var lines = alert.earlierMessages.map {
      InboxTexts.earlier + InboxDetails.quoted($0.text) + InboxTexts.said(time.short($0.at))
    }
    if alert.hasMoreMessages { lines.insert(InboxTexts.earlier + InboxTexts.onThePage, at: max(0, lines.count - 1)) }
    return lines
  }

  private var more: [String] {
    [
      alert.place.map { InboxTexts.place + InboxDetails.text($0, time) },
      alert.batteryPercent.map { InboxTexts.battery + InboxDetails.battery($0) },
      alert.comers.isEmpty ? nil : InboxTexts.coming + InboxDetails.names(alert.comers),
      alert.isActive && alert.askedAgain > 0 && entry.isWithoutComers ? InboxTexts.askedAgain(console) : nil,
    ].compactMap(\.self)
  }

  /// What the person here answered, and what of it did not count.
  private var own: [String] {
    let answer = InboxDetails.answer(of: entry, console) ?? (alert.isActive ? InboxTexts.unanswered(console) : nil)
    let isAsked = alert.isActive && alert.isAskedToConfirm && entry.answer != nil && entry.waiting == nil
    return [
      answer.map { InboxTexts.answer + $0 },
      entry.refusal.map { InboxTexts.answer + InboxTexts.refused($0.printable, console) },
      isAsked ? InboxTexts.confirm(console) : nil,
    ].compactMap(\.self)
  }

  private var ends: [String] {
    (alert.pageURL.map { [InboxTexts.page + $0.printable] } ?? []) + [InboxTexts.id + entry.id.description]
      + (alert.isActive ? [InboxTexts.toAnswer + InboxTexts.howToAnswer(handle)] : [])
  }

  /// The start of the id that no other alert has; at least the part that tells apart alerts of different minutes.
  static func handle(of entry: InboxEntry, among entries: [InboxEntry]) -> String {
    let id = entry.id.description
    for length in shortestHandle..<id.count {
      let start = id.prefix(length)
      if start.last != "-", !entries.contains(where: { $0.id != entry.id && $0.id.description.hasPrefix(start) }) {
        return String(start)
      }
    }
    return id
  }

  static let shortestHandle = 8
}

extension InboxEntry {
  /// Whether nobody said that they come, as far as known here.
  fileprivate var isWithoutComers: Bool { alert.comers.isEmpty && answer?.answer.acknowledges != true }
}

/// Single details of an alert in the inbox, printable.
enum InboxDetails {
  static func quoted(_ text: String) -> String { "“\(text.printable)”" }

  static func names(_ names: [String]) -> String { names.map(\.printable).joined(separator: ", ") }

  static func battery(_ percent: Int) -> String { "\(percent) %" }

  /// Whether the server is in contact with their device.
  static func contact(_ noContactSince: Timestamp?, _ time: LocalTime, _ console: Console) -> String {
    noContactSince.map { InboxTexts.noContact(since: time.short($0), console) } ?? InboxTexts.inContactAgain
  }

  static func text(_ place: InboxAlert.Place, _ time: LocalTime) -> String {
    let age = max(0, time.now.milliseconds(since: place.at))
    return InboxTexts.place(place.location.latitude, place.location.longitude, within: meters(place.accuracyMeters))
      + InboxTexts.age(LocalTime.duration(milliseconds: age))
  }

  /// Whole meters; nil for a value that no place on earth has.
  private static func meters(_ accuracy: Double?) -> Int? {
    guard let accuracy, accuracy >= 0, accuracy < 40_100_000 else { return nil }
    return Int(accuracy.rounded(.up))
  }

  /// The answer of the person here, and whether the server has it; nil without one.
  static func answer(of entry: InboxEntry, _ console: Console) -> String? {
    guard let answer = entry.answer else { return nil }
    return "\(text(answer)) (\(entry.waiting == nil ? InboxTexts.sent : InboxTexts.notSent(console)))"
  }

  /// What the person here is asked where its responders are asked again.
  static func askedAgain(_ entry: InboxEntry, _ console: Console) -> String {
    if entry.isWithoutComers { return InboxTexts.askedAgain(console) }
    return InboxTexts.askedAgainBesides(hasAnswered: entry.answer?.answer.acknowledges == true, console)
  }

  static func text(_ answer: InboxAnswer) -> String {
    InboxTexts.words(answer.answer) + (answer.text.map { ", " + quoted($0) } ?? "")
  }
}

/// The JSON of the inbox, as the command line's contract has it.
enum InboxJSON {
  /// `id`, `active`, `alert`, `answer`, `refusal`.
  static func writeMembers(_ entry: InboxEntry, to json: inout JSONWriter) {
    json.member("id", entry.id.description)
    json.member("active", entry.alert.isActive)
    json.key("alert")
    entry.alert.write(to: &json)
    json.key("answer")
    if let answer = entry.answer {
      json.object {
        $0.member("answer", answer.answer.rawValue)
        $0.member("text", answer.text)
        $0.member("sent", entry.waiting == nil)
      }
    } else {
      json.null()
    }
    json.member("refusal", entry.refusal)
  }
}
