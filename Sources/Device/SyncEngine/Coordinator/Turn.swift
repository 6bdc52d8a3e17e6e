import LocalStore
import Model

/// One call of `handle`: its inputs and the commands collected so far.
struct Turn {
  let moment: Moment
  let jitter: Double
  var commands: [SyncCommand] = []
  /// When the planner last asked to be called again.
  var wake: Int64?
  /// A request was sent ahead: the answer before it is applied in the next turn.
  var hasSentAhead = false
  /// Events that the planner has not received yet.
  var events: [PlannerEvent] = []

  init(at moment: Moment, jitter: Double) {
    self.moment = moment
    self.jitter = jitter
  }

  mutating func storeFailed(_ error: LocalStoreError) {
    commands.append(.storeFailed(error))
    events.append(.storeFailed)
  }
}
