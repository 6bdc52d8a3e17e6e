import Model
import PlantedBugs

/// Renders the text of a message to a responder; a pure function.
struct MessageText {
  private let message: DeliveryMessage
  private let clock: LocalClock

  init(_ message: DeliveryMessage) {
    self.message = message
    clock = LocalClock(utcOffsetMinutes: message.utcOffsetMinutes, today: message.now)
  }

  private var alert: Alert { message.told }
  private var isDrill: Bool { alert.isDrill && !PlantedBug.drillLooksReal.isPlanted }

  /// One line.
  var title: String {
    guard message.person.name != nil else { return titleWithoutName }
    let name = message.person.brief(upTo: Self.longestNameInTitle)
    return switch message.content {
    case .help: isDrill ? "DRILL (a test) of \(name)" : "\(name) needs help"
    case .safe, .helpAndSafe: isDrill ? "DRILL ended (a test) of \(name)" : "\(name) is safe now"
    case .check: "Are you still responding to \(name)?"
    case .relief: "\(message.whoIs) responding to \(name)"
    }
  }

  private static let longestNameInTitle = 40

  private var titleWithoutName: String {
    switch message.content {
    case .help: isDrill ? "DRILL: LifeSignal alert (a test)" : "LifeSignal: help is needed"
    case .safe, .helpAndSafe: isDrill ? "DRILL: LifeSignal alert ended (a test)" : "LifeSignal: safe now"
    case .check: "LifeSignal: are you still responding?"
    case .relief: "LifeSignal: \(message.whoIs) responding"
    }
  }

  /// The whole text: what happened and when, what the person said, where.
  var text: String {
    var lines = [isDrill ? "DRILL, only a test. \(headline)" : headline, times]
    switch message.content {
    case .help:
      if isReminder { lines.append(Self.nobodyResponds) }
      lines += silence
      if let page = message.page {
        lines.append(isDrill ? "Please open this and press \"I got this\": \(page.url)" : "Answer here: \(page.url)")
      }
      lines += particulars
    case .check:
      if let page = message.page { lines.append("Answer here: \(page.url)") }
      lines += particulars
    case .relief:
      if let page = message.page { lines.append("See how it stands: \(page.url)") }
    case .helpAndSafe: lines += particulars
    case .safe: break
    }
    return lines.joined(separator: "\n")
  }

  /// For a text message: who, what and the link first, then the number, when, whether the device is silent, where, what the person said,
  /// and how to answer. A name is cut where the link would not fit into the first message.
  var short: String {
    let link = message.page.map { " \($0.url)" } ?? ""
    switch message.content {
    case .help: return shortHelp(link)
    case .check, .relief: return headline + link
    case .safe, .helpAndSafe: return isDrill ? "DRILL, only a test. \(headline)" : headline
    }
  }

  /// When it was raised stands in it where it is late, and where one message has room for it.
  private func shortHelp(_ link: String) -> String {
    let first = isDrill ? drillAndLink(link) : shortName(besides: " needs help\(link)") + " needs help\(link)"
    if message.isLate { return shortHelp(first, times) }
    let whole = shortHelp(first, "Since \(clock.time(alert.startedAt)) \(clock.zone)")
    return OneMessage.holds(whole) ? whole : shortHelp(first, nil)
  }

  private func shortHelp(_ first: String, _ time: String?) -> String {
    var lines = [first]
    if message.person.name != nil { lines.append("Call \(message.phone)") }
    if isReminder { lines.append(Self.nobodyResponds) }
    if let time { lines.append(time) }
    let place = shortPlace
    if room(besides: lines + silence + place + answer) >= 0 { lines += silence }
    lines += place
    if let said = message.alert.newestMessage { lines.append(Self.cut(said, to: room(besides: lines + answer) - 1)) }
    return (lines + answer).joined(separator: "\n")
  }

  private var shortPlace: [String] {
    guard let place = message.alert.newestLocation else { return [] }
    let time = message.olderPlaceAt.map { " at \(clock.time($0))" } ?? ""
    return ["\(place.latitude),\(place.longitude)\(time)"]
  }

  private func room(besides lines: [String]) -> Int {
    Self.longestShort - lines.joined(separator: "\n").utf16.count
  }

  private var silence: [String] {
    message.noContactSince.map { ["No contact since \(clock.time($0)) \(clock.zone)."] } ?? []
  }

  /// The last line of a text message that can be answered.
  private var answer: [String] {
    guard let code = message.answerCode?.text else { return [] }
    return [isDrill ? "Answer YES \(code)" : "Answer YES \(code) or NO \(code)"]
  }

  private func drillAndLink(_ link: String) -> String {
    let end = link.isEmpty ? "" : ". Press \"I got this\":\(link)"
    return "DRILL, only a test, of " + shortName(besides: "DRILL, only a test, of \(end)") + end
  }

  private func shortName(besides text: String) -> String {
    message.person.brief(upTo: max(Self.shortestName, Self.firstMessage - text.utf16.count))
  }

  /// In UTF-16: what one text message has room for in any script.
  private static let firstMessage = 70
  /// Less of a name says little. A link that leaves less room goes beyond the first message.
  private static let shortestName = 8

  /// In UTF-16, as text messages count: five parts in any script.
  private static let longestShort = 335

  /// Cut at a character, with a mark.
  fileprivate static func cut(_ text: String, to length: Int) -> String {
    guard text.utf16.count > length else { return text }
    return text.beginning(upTo: length - 1) { $0.utf16.count } + "…"
  }

  private var headline: String {
    switch message.content {
    case .help: isDrill ? "\(who) is testing the alert. Nobody is in danger." : "\(who) needs help."
    case .check: "Are you still responding? \(who) still needs help."
    case .relief: "\(message.whoIs) responding to the alert of \(who)."
    case .safe: "\(who) is safe now."
    case .helpAndSafe: "\(who) was in danger \(span), safe now."
    }
  }

  private var who: String { message.person.withNumber }

  private var isReminder: Bool { message.delivery.role == .reminder }

  private static let nobodyResponds = "Nobody is responding yet."

  private var span: String {
    "\(clock.time(alert.startedAt))–\(clock.time(alert.endedAt ?? alert.startedAt))"
  }

  /// When it was raised, when it was received if late, and when it ended.
  private var times: String {
    var parts = ["raised \(clock.time(alert.startedAt))"]
    if message.isLate { parts.append("received \(clock.time(message.alert.receivedAt))") }
    if let update = message.alert.newestUpdate?.update { parts.append("updated \(clock.time(update.at))") }
    if let endedAt = alert.endedAt { parts.append("ended \(clock.time(endedAt))") }
    let sentence = parts.joined(separator: ", ")
    return "Alert \(sentence) \(clock.zone)."
  }

  private var particulars: [String] {
    var lines: [String] = []
    if let said = message.alert.newestMessage { lines.append("Message: \(said)") }
    if let location = message.alert.newestLocation {
      let point = "\(location.latitude),\(location.longitude)"
      // A caller who sent no new location may have moved.
      let time = message.olderPlaceAt.map { " at \(clock.time($0))" } ?? ""
      let map = "https://www.openstreetmap.org/?mlat=\(location.latitude)&mlon=\(location.longitude)"
      lines.append("Location\(time): \(point) \(map)")
    }
    if let update = message.alert.newestUpdate?.update {
      if let accuracy = update.accuracyMeters, update.location != nil {
        lines.append("Accuracy: within \(Int(min(accuracy, 1e9).rounded(.up))) m.")
      }
      if let battery = update.batteryPercent { lines.append("Battery of the device: \(battery) %.") }
    }
    return lines + earlierWords
  }

  /// What earlier calls said, newest first, as far as there is room for it; the first call's words always.
  private var earlierWords: [String] {
    let first = alert.message.flatMap { $0 == message.alert.newestMessage ? nil : $0 }
    var room = Self.earlierWordsLimit
    let between = message.words.dropFirst().dropLast(first == nil ? 0 : 1).prefix {
      room -= $0.message.count
      return room >= 0
    }
    let lines = between.map { "Message at \(clock.time($0.at)): \($0.message)" }
    return lines + (first.map { ["First message: \($0)"] } ?? [])
  }

  /// In characters: as much as one long message.
  private static let earlierWordsLimit = AlertMessage.maximumCharacters
}

extension DeliveryMessage {
  /// Who is responding, for a sentence that says so: `Ana is`, `Ana and 2 more are`.
  var whoIs: String {
    guard let name = comers.first else { return "Somebody is" }
    let first = MessageText.cut(name, to: 40)
    return comers.count > 1 ? "\(first) and \(comers.count - 1) more are" : "\(first) is"
  }
}

/// Wall-clock times in the time zone of the person in danger.
struct LocalClock {
  private let offsetMinutes: Int
  private let isKnown: Bool
  private let today: Substring.SubSequence

  /// Nil: the offset is unknown, times are in UTC. `today` is when the text is read.
  init(utcOffsetMinutes: Int?, today: Timestamp) {
    offsetMinutes = utcOffsetMinutes ?? 0
    isKnown = utcOffsetMinutes != nil
    self.today = Self.shifted(today, offsetMinutes).prefix(10)
  }

  /// `12:01`, or `2026-11-20 12:01` if the date is not today's.
  func time(_ time: Timestamp) -> String {
    let text = Self.shifted(time, offsetMinutes)
    let clock = text.dropFirst(11).prefix(5)
    return text.prefix(10) == today ? String(clock) : "\(text.prefix(10)) \(clock)"
  }

  /// `(UTC+02:00)`, or `(UTC)` if the offset is unknown or zero.
  var zone: String {
    guard isKnown, offsetMinutes != 0 else { return "(UTC)" }
    let minutes = abs(offsetMinutes)
    return "(UTC\(offsetMinutes < 0 ? "-" : "+")\(padded(minutes / 60)):\(padded(minutes % 60)))"
  }

  private static func shifted(_ time: Timestamp, _ offsetMinutes: Int) -> String {
    time.advanced(byMilliseconds: Int64(offsetMinutes) * 60_000).description
  }

  private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
