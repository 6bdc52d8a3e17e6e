import DeviceCore
import LocalStore
import Model

/// Which alert a person means, and the line beside their answer.
///
/// The longest run of leading words that is a person's whole name, their number or the start of an alert's id says who is meant, and so
/// does one that begins the name of somebody whose alert is active. The rest is the line.
struct InboxChoice {
  enum Result {
    case one(InboxAlert, text: String)
    /// More than one fits these words; nil where none were given.
    case several([InboxEntry], of: String?)
    case over(InboxAlert, at: Timestamp)
    case unknown(String)
    case noneActive
  }

  private let entries: [InboxEntry]
  private let context: Context
  private let words: [String]

  init(_ entries: [InboxEntry], _ context: Context) {
    self.entries = entries
    self.context = context
    words = context.invocation.arguments.flatMap { Self.words($0) }
  }

  func result() throws(Failure) -> Result {
    guard !words.isEmpty else { return onlyActive }
    for count in stride(from: min(words.count, Self.longestName), through: 1, by: -1) {
      let named = try named(Array(words.prefix(count)))
      let begun = begun(by: Array(words.prefix(count)))
      if let result = result(named, begun, count) { return result }
    }
    return .unknown(String(words.joined(separator: " ").prefix(Self.shownCharacters)))
  }

  /// More words than a name has.
  private static let longestName = 12
  /// As many as a line has room for.
  private static let shownCharacters = 30
  /// Fewer characters of an id are more likely something else.
  private static let shortestStart = 4

  private static func words(_ text: String) -> [String] {
    text.split(whereSeparator: \.isWhitespace).map { String($0) }
  }

  /// Without words: the only alert that is active.
  private var onlyActive: Result {
    let active = entries.filter(\.alert.isActive)
    guard let first = active.first else { return .noneActive }
    return active.count == 1 ? .one(first.alert, text: "") : .several(active, of: nil)
  }

  /// Of a person's alerts an active one is meant. Nil if nothing fits the first `count` words.
  private func result(_ named: [InboxEntry], _ begun: [InboxEntry], _ count: Int) -> Result? {
    let meant = named.filter(\.alert.isActive) + begun
    if let first = meant.first {
      // Somebody of exactly this name is not the same as somebody whose name only begins like it.
      guard meant.count == 1, named.isEmpty || begun.isEmpty else {
        return .several(meant, of: words.prefix(count).joined(separator: " "))
      }
      return .one(first.alert, text: words.dropFirst(count).joined(separator: " "))
    }
    return named.first.flatMap { entry in entry.alert.endedAt.map { .over(entry.alert, at: $0) } }
  }

  /// Those of the person with this name or number, or with this start of an id.
  private func named(_ run: [String]) throws(Failure) -> [InboxEntry] {
    let phone = try phone(run.joined(separator: " "))
    let lower = run.map { $0.lowercased() }
    let named = entries.filter { $0.alert.phone == phone || nameWords($0) == lower }
    guard named.isEmpty, run.count == 1, lower[0].count >= Self.shortestStart else { return named }
    return entries.filter { $0.id.description.hasPrefix(lower[0]) }
  }

  /// Active ones of people whose name goes on behind these words.
  private func begun(by run: [String]) -> [InboxEntry] {
    let lower = run.map { $0.lowercased() }
    return entries.filter { entry in
      let name = nameWords(entry)
      return entry.alert.isActive && name.count > lower.count && name.starts(with: lower)
    }
  }

  private func nameWords(_ entry: InboxEntry) -> [String] {
    entry.alert.name.map { Self.words($0.lowercased()) } ?? []
  }

  /// Nil for text that is not a number: that is a name.
  private func phone(_ text: String) throws(Failure) -> String? {
    guard !text.contains(where: \.isLetter) else { return nil }
    let region = try PhoneRegion.chosen(for: text, context)
    return try? PhoneEntry.normalized(text, region: region)
  }
}

extension InboxChoice.Result {
  /// Whether an active alert fits.
  var isActive: Bool {
    switch self {
    case .one, .several: true
    case .over, .unknown, .noneActive: false
    }
  }
}

extension InboxChoice {
  /// The alert of `result` and the line, or why there is none. `age`: from when this device's knowledge is; nil if it is of now.
  func alert(_ result: Result, age: String?) throws(Failure) -> (alert: InboxAlert, text: String) {
    let advice = age.map { "\n" + InboxTexts.maybeNewer($0) } ?? ""
    switch result {
    case .one(let alert, let text): return (alert, text)
    case .several(let found, nil): throw Failure(.badData, "ambiguous", InboxTexts.whichOne(choices(found)))
    case .several(let found, let text?):
      throw Failure(.badData, "ambiguous", InboxTexts.ambiguous(text.printable, choices(found)))
    case .over(let alert, let end):
      let words = InboxTexts.alreadyOver(alert.person.printable, at: context.time.text(end))
      throw Failure(.badData, "alert_ended", words + advice)
    case .unknown(let text): throw Failure(.badData, "not_found", InboxTexts.unknown(text.printable) + advice)
    case .noneActive: throw Failure(.badData, "not_found", InboxTexts.noneActive + advice)
    }
  }

  private func choices(_ found: [InboxEntry]) -> [String] {
    found.map { entry in
      let time = context.time.short(entry.alert.startedAt)
      return "\(InboxReport.handle(of: entry, among: entries))  \(entry.alert.person.printable), since \(time)"
        + (entry.alert.isDrill ? " (DRILL)" : "")
    }
  }
}
