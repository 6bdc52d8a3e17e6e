package import Model

/// Where the asking of an alert's responders stands: they are asked again until one of them comes. A value without a clock.
package struct Asking: Sendable, Hashable {
  package enum Phase: String, Sendable, Hashable, CaseIterable {
    /// Nobody comes: they are asked again.
    case asking
    /// Somebody comes.
    case answered
    /// Somebody said long ago that they come, and is asked whether they still do.
    case checking
    /// They were asked as often as the schedule says. The person's next call begins it again.
    case over
  }

  package var phase: Phase
  /// How often they were asked again since it began.
  package var round: Int
  /// Responders up to this tier are told.
  package var tier: Int
  /// When the next step is due; nil if none follows.
  package var dueAt: Timestamp?

  package init(phase: Phase, round: Int, tier: Int, dueAt: Timestamp?) {
    self.phase = phase
    self.round = round
    self.tier = tier
    self.dueAt = dueAt
  }

  /// Just told: asked again after a minute.
  init(tier: Int, at now: Timestamp) {
    self.init(phase: .asking, round: 0, tier: tier, dueAt: nil)
    begin(at: now)
  }

  var isAsking: Bool { phase == .asking || phase == .over }

  /// Begins at the first round.
  mutating func begin(at now: Timestamp) {
    phase = .asking
    round = 0
    dueAt = AskingSchedule.gapMilliseconds(after: 0).map(now.advanced)
  }

  /// Somebody said at `time` that they come.
  mutating func answer(at time: Timestamp) {
    phase = .answered
    dueAt = time.advanced(byMilliseconds: AskingSchedule.checkMilliseconds)
  }

  /// They are asked now whether they still do. What they said last at `time` counts no longer than it would have anyway; where that is over,
  /// because the server was down, they have as long to answer.
  mutating func check(ofAnswerAt time: Timestamp, at now: Timestamp) {
    phase = .checking
    let latest = now.advanced(byMilliseconds: AskingSchedule.lapseMilliseconds - AskingSchedule.checkMilliseconds)
    let lapse = time.advanced(byMilliseconds: AskingSchedule.lapseMilliseconds)
    dueAt = lapse > now ? min(lapse, latest) : latest
  }

  /// The next round is being asked now.
  mutating func advance(at now: Timestamp) {
    round += 1
    dueAt = AskingSchedule.gapMilliseconds(after: round).map(now.advanced)
    phase = dueAt == nil ? .over : .asking
  }
}

/// When responders are asked again: 1, 3, 5 and 10 minutes after the first message, then every 10 minutes for two hours.
package enum AskingSchedule {
  private static let minute: Int64 = 60_000
  private static let firstGaps: [Int64] = [1, 2, 2, 5].map { $0 * minute }
  private static let laterGap: Int64 = 10 * minute
  private static let laterRounds = 12

  /// From this round on, each round tells one tier more.
  package static let firstRoundOfNextTier = 2
  /// An answer that is older is asked about.
  package static let checkMilliseconds: Int64 = 20 * minute
  /// An answer that is older no longer counts: the others are asked again.
  package static let lapseMilliseconds: Int64 = 25 * minute

  /// How many rounds there are.
  package static let rounds = firstGaps.count + laterRounds

  /// The time between a round and the next; nil after the last.
  package static func gapMilliseconds(after round: Int) -> Int64? {
    guard round < rounds else { return nil }
    return round < firstGaps.count ? firstGaps[max(0, round)] : laterGap
  }
}
