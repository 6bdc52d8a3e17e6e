import LocalStore
import Model
import Testing
import Wire

@testable import SyncEngine

/// Times that an earlier run stored by the wall clock, which may have been set since.
@Suite struct `A stored backoff` {
  private let now = Moment(wall: Timestamp(milliseconds: 1_790_000_000_000), monotonicMilliseconds: 5000)

  private func due(_ lane: Lane, storedMillisecondsAhead wait: Int64) -> Int64? {
    let state = LaneState(count: 1, attempts: 3, nextAttemptAt: now.wall.advanced(byMilliseconds: wait))
    var plan = LanePlan(lane)
    plan.adopt(state, at: now)
    return plan.notBeforeMilliseconds
  }

  @Test(arguments: Lane.allCases) func `is continued after a restart`(_ lane: Lane) {
    let longest = Backoff.of(lane).longestDelayMilliseconds
    #expect(due(lane, storedMillisecondsAhead: longest) == 5000 + longest)
    #expect(due(lane, storedMillisecondsAhead: 1) == 5001)
  }

  @Test(arguments: Lane.allCases) func `holds nothing up after the clock was set back`(_ lane: Lane) {
    #expect(due(lane, storedMillisecondsAhead: Backoff.of(lane).longestDelayMilliseconds + 1) == nil)
    #expect(due(lane, storedMillisecondsAhead: 365 * 86_400_000) == nil)
  }

  @Test(arguments: Lane.allCases) func `is over after the clock was set forward`(_ lane: Lane) {
    #expect(due(lane, storedMillisecondsAhead: -365 * 86_400_000) == 5000)
  }
}
