import Model

/// When each responder of an alert is to be asked, in the words of the promise: a second telling of the rules, apart from the server's.
struct AskingModel {
  /// The times at which each contact is to be sent a call for help.
  private(set) var asked: [ContactID: [Int64]] = [:]
  private let tiers: [(contact: ContactID, tier: Int)]
  private var answers: [ContactID: (answer: ResponderAnswer, at: Int64)] = [:]
  private var toldTier: Int
  private var isAsking = true
  private var round = 0
  /// Nil when it is over.
  private var nextAt: Int64?

  private static let minute: Int64 = 60_000
  /// Minutes from one round to the next.
  private static let gaps: [Int64] = [1, 2, 2, 5] + Array(repeating: 10, count: 12)

  init(tiers: [(contact: ContactID, tier: Int)], at start: Int64) {
    self.tiers = tiers
    toldTier = tiers.map(\.tier).min() ?? 1
    nextAt = start + Self.minute
    for contact in told { ask(contact, at: start) }
  }

  /// All that happens until `time`.
  mutating func advance(to time: Int64) {
    while let next = nextAt, next <= time { step(at: next) }
  }

  /// The server was down until `time`: what was due is done now.
  mutating func wait(until time: Int64) {
    if let next = nextAt, next < time { nextAt = time }
    advance(to: time)
  }

  /// When somebody was last to be asked.
  var lastAskedAt: Int64 { asked.values.compactMap(\.last).max() ?? 0 }

  /// The person called again, with something new.
  mutating func callAgain(at time: Int64) {
    for contact in told { ask(contact, at: time) }
  }

  mutating func take(_ answer: ResponderAnswer, of contact: ContactID, at time: Int64) {
    // The same form twice is one answer.
    if let earlier = answers[contact], earlier.answer == answer, time < earlier.at + Self.minute { return }
    answers[contact] = (answer, time)
    if answer.acknowledges {
      isAsking = false
      nextAt = time + 20 * Self.minute
    } else if isAnybodyComing(at: time) {
      // Those who still come are asked about, and trusted, by what they said themselves.
      if !isAsking { step(at: time) }
    } else {
      // Whoever came is gone: the others are asked at once.
      if !isAsking { return step(at: time) }
      tellMoreIfHopeless(at: time)
    }
  }

  /// What the contact said last; nil if they said nothing.
  func answer(of contact: ContactID) -> ResponderAnswer? { answers[contact]?.answer }

  /// The contacts who said that they come, and can be counted on.
  func comers(at time: Int64) -> Set<ContactID> {
    Set(answers.filter { $0.value.answer.acknowledges && time < $0.value.at + 25 * Self.minute }.map(\.key))
  }

  private var told: [ContactID] { tiers.filter { $0.tier <= toldTier }.map(\.contact) }

  /// When somebody last said that they come.
  private var comingSince: Int64? { answers.values.filter(\.answer.acknowledges).map(\.at).max() }

  /// Whether somebody can be counted on.
  private func isAnybodyComing(at time: Int64) -> Bool { comingSince.map { time < $0 + 25 * Self.minute } ?? false }

  private mutating func step(at time: Int64) {
    if let since = comingSince, time < since + 25 * Self.minute {
      nextAt = since + (time < since + 20 * Self.minute ? 20 : 25) * Self.minute
      return
    }
    if !isAsking { round = 0 }
    isAsking = true
    round += 1
    let earlier = told
    if round >= 2 { tellMore(at: time) }
    tellMoreIfHopeless(at: time)
    let willing = told.filter { answers[$0]?.answer.acknowledges ?? true }
    for contact in willing.isEmpty ? told : willing where earlier.contains(contact) { ask(contact, at: time) }
    nextAt = round < Self.gaps.count ? time + Self.gaps[round] * Self.minute : nil
  }

  private mutating func tellMore(at time: Int64) {
    guard let tier = tiers.map(\.tier).filter({ $0 > toldTier }).min() else { return }
    toldTier = tier
    for (contact, own) in tiers where own == tier { ask(contact, at: time) }
  }

  private mutating func tellMoreIfHopeless(at time: Int64) {
    func isHopeless(_ contact: ContactID) -> Bool {
      guard let answer = answers[contact] else { return false }
      return !answer.answer.acknowledges || time >= answer.at + 25 * Self.minute
    }
    for _ in tiers where told.allSatisfy(isHopeless) { tellMore(at: time) }
  }

  private mutating func ask(_ contact: ContactID, at time: Int64) { asked[contact, default: []].append(time) }
}
