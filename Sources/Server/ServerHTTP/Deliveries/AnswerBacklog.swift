/// What the answers that the store does not have mean for claims.
struct AnswerBacklog {
  private enum State {
    case none
    /// The store failed or stood still: leases may have ended whose messages were sent, so nothing is claimed before it has all answers.
    case first
    /// It takes other writes, and these answers it does not: they hold up no message.
    case refused
  }

  private var state = State.none
  /// Whether a commit has succeeded since the answers could last not be recorded.
  private var hasSeenCommit = false

  var holdsUpClaims: Bool { state == .first }

  mutating func noteCommit() { hasSeenCommit = true }

  /// The store, or this process, stood still.
  mutating func noteStandstill() {
    if state == .none { state = .first }
    hasSeenCommit = false
  }

  /// The answers could not be recorded.
  mutating func noteFailure() {
    switch state {
    case .none: state = .first
    case .first where hasSeenCommit: state = .refused
    case .first, .refused: break
    }
    hasSeenCommit = false
  }

  /// All answers are recorded.
  mutating func end() { state = .none }
}
