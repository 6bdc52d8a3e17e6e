import LocalStore
import Model
import Wire

/// A change of the inbox that gets a line while it is followed.
enum InboxEvent: Equatable {
  case raised(InboxEntry)
  case updated(from: InboxEntry, to: InboxEntry)
  case ended(InboxEntry)
  case removed(InboxEntry)

  /// The changes between two readings of the store. An alert that was over when it was first read is none.
  static func between(_ before: [InboxEntry], _ after: [InboxEntry]) -> [InboxEvent] {
    let known = Dictionary(before.map { ($0.id, $0) }) { first, _ in first }
    let left = Set(after.map(\.id))
    let changes = after.compactMap { entry -> InboxEvent? in
      guard let old = known[entry.id] else { return entry.alert.isActive ? .raised(entry) : nil }
      if old.alert.isActive, !entry.alert.isActive { return .ended(entry) }
      // As on a server that was restored to a time before its end.
      if !old.alert.isActive, entry.alert.isActive { return .raised(entry) }
      return old == entry ? nil : .updated(from: old, to: entry)
    }
    return changes + before.filter { !left.contains($0.id) && $0.alert.isActive }.map { .removed($0) }
  }

  /// The alert as it is now.
  var entry: InboxEntry {
    switch self {
    case .raised(let entry), .updated(_, let entry), .ended(let entry), .removed(let entry): entry
    }
  }

  /// Whether the person has to look up: for a new alert, and where they are asked again.
  var ringsBell: Bool {
    switch self {
    case .raised: true
    case .updated(let old, let new):
      new.alert.askedAgain > old.alert.askedAgain || new.alert.isAskedToConfirm && !old.alert.isAskedToConfirm
    case .ended, .removed: false
    }
  }

  private var name: String {
    switch self {
    case .raised: "raised"
    case .updated: "updated"
    case .ended: "ended"
    case .removed: "removed"
    }
  }

  /// `{"event":…,"at":…}` with the members of `inbox --json`.
  func writeMembers(now: Timestamp, to json: inout JSONWriter) {
    json.member("event", name)
    json.member("at", now.description)
    InboxJSON.writeMembers(entry, to: &json)
  }

  /// The lines for a person; empty where nothing that they see has changed.
  func lines(among entries: [InboxEntry], _ time: LocalTime, _ console: Console) -> [String] {
    let person = entry.alert.person.printable
    let label = InboxTexts.label(person, isDrill: entry.alert.isDrill)
    switch self {
    case .raised(let entry): return InboxReport(entry, among: entries, time, console).lines
    case .updated(let old, let new):
      return Self.differences(old, new, among: entries, time, console).map { "\(label): \($0)" }
    case .ended(let entry):
      let endedAt = entry.alert.endedAt ?? time.now
      return [InboxTexts.ended(person, isDrill: entry.alert.isDrill, at: time.text(endedAt), console)]
    case .removed: return [InboxTexts.noLongerTold(label)]
    }
  }

  private static func differences(
    _ old: InboxEntry, _ new: InboxEntry, among entries: [InboxEntry], _ time: LocalTime, _ console: Console
  ) -> [String] {
    let (before, alert) = (old.alert, new.alert)
    var lines = alert.messages(since: before).map(InboxDetails.quoted)
    if let place = alert.place, place != before.place {
      lines.append(InboxTexts.place + InboxDetails.text(place, time))
    }
    if let percent = alert.batteryPercent, percent != before.batteryPercent {
      lines.append(InboxTexts.battery + InboxDetails.battery(percent))
    }
    if alert.noContactSince != before.noContactSince {
      lines.append(InboxDetails.contact(alert.noContactSince, time, console))
    }
    if alert.comers != before.comers {
      lines.append(InboxTexts.coming + (alert.comers.isEmpty ? "-" : InboxDetails.names(alert.comers)))
    }
    if alert.askedAgain > before.askedAgain { lines.append(InboxDetails.askedAgain(new, console)) }
    if alert.isAskedToConfirm, !before.isAskedToConfirm {
      let handle = InboxReport.handle(of: new, among: entries)
      lines.append(InboxTexts.confirm(console) + " " + InboxTexts.howToAnswer(handle))
    }
    let answer = InboxDetails.answer(of: new, console)
    if let answer, answer != InboxDetails.answer(of: old, console) { lines.append(InboxTexts.answer + answer) }
    if let refusal = new.refusal, refusal != old.refusal {
      lines.append(InboxTexts.answer + InboxTexts.refused(refusal.printable, console))
    }
    return lines
  }
}

extension InboxAlert {
  /// What was said after `before` was written, oldest first.
  fileprivate func messages(since before: InboxAlert) -> [String] {
    var earlier = earlierMessages.filter { !before.earlierMessages.contains($0) }
    // What was the newest then.
    if let known = earlier.last, known.text == before.message { earlier.removeLast() }
    guard let message, message != before.message || !earlier.isEmpty else { return [] }
    return earlier.reversed().map(\.text) + [message]
  }
}
