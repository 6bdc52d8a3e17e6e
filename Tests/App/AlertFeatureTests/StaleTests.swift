import AlertFeature
import AppModel
import Clients
import ComposableTesting
import Dependencies
import Foundation
import Testing

@MainActor @Suite struct StaleTests {
  private let clock = TestClock()

  @Test func `A stream that ends keeps what is shown, marks it as stale, and restarts after a second`() async {
    let (clock, feed) = (clock, Feed())
    let store = makeStore(.active) {
      $0.continuousClock = clock
      $0.alertClient = .mock(getAlertHistory: { [] }, snapshots: feed.snapshots)
    }
    await store.send(.task) { $0.isFollowingAlert = true }
    feed.end()
    await store.receive(.alertSnapshotsEnded) { $0.isStale = true }
    await clock.advance(by: .seconds(1))
    #expect(feed.count == 2)
    await store.send(.timerTick)
    feed.give(.ended())
    await store.receive(.alertSnapshotChanged(.ended())) {
      $0.isStale = false
      $0.isAlertActive = false
      $0.alertEndTime = end
      $0.delivery = AlertSnapshot.ended().delivery
    }
    await store.receive(.alertHistoryResponse(.success([])))
    await store.send(.appBecameInactive) { $0.isFollowingAlert = false }
    await clock.advance(by: .seconds(60))
    await store.finish()
    #expect(feed.count == 2)
  }

  @Test func `One without any value restarts after 1, 2, 4, 8, 16, 30 and 30 seconds`() async {
    let (clock, begun) = (clock, Counter())
    let store = makeStore {
      $0.continuousClock = clock
      $0.alertClient = .mock(snapshots: {
        begun()
        return AsyncStream { $0.finish() }
      })
    }
    store.exhaustivity = .off
    await store.send(.task)
    var count = 1
    for seconds in [1, 2, 4, 8, 16, 30, 30] {
      #expect(begun.count == count)
      await clock.advance(by: .seconds(seconds) - .milliseconds(1))
      #expect(begun.count == count, "after \(seconds) s")
      await clock.advance(by: .milliseconds(1))
      count += 1
      #expect(begun.count == count, "after \(seconds) s")
    }
    await store.skipReceivedActions()
    #expect(store.state.isStale)
    await store.send(.appBecameInactive)
    await clock.advance(by: .seconds(60))
    await store.finish()
    #expect(begun.count == count)
  }

  @Test func `One with a value restarts after one second each time`() async {
    let (clock, feed) = (clock, Feed())
    let store = makeStore {
      $0.continuousClock = clock
      $0.alertClient = .mock(getAlertHistory: { [] }, snapshots: feed.snapshots)
    }
    store.exhaustivity = .off
    await store.send(.task)
    for count in 2...5 {
      feed.give(.active())
      feed.end()
      await store.receive(.alertSnapshotsEnded)
      await clock.advance(by: .seconds(1))
      #expect(feed.count == count)
    }
    await store.send(.appBecameInactive)
    await store.finish()
  }

  @Test func `Without a running stream its end is ignored`() async {
    await makeStore(.active).send(.alertSnapshotsEnded)
  }
}
