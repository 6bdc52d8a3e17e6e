import AlertFeature
import AppModel
import Clients
import ComposableTesting
import Dependencies
import Foundation
import Testing

@MainActor @Suite struct LifecycleTests {
  private let clock = TestClock()
  private let feed = Feed()

  private func store() -> TestStoreOf<AlertFeature> {
    makeStore { [clock, feed] in
      $0.continuousClock = clock
      $0.alertClient = .mock(
        getAlertHistory: { [] }, getAlertStatus: { AlertSnapshot(isActive: true, startTime: start) },
        snapshots: feed.snapshots)
    }
  }

  private func becomeActive(_ store: TestStoreOf<AlertFeature>) async {
    await store.send(.appBecameActive) { $0.isFollowingAlert = true }
    await store.receive(.loadAlertStatus)
    await store.receive(.loadAlertHistory) { $0.isLoadingHistory = true }
    await store.receive(.alertStatusResponse(.success(AlertSnapshot(isActive: true, startTime: start)))) {
      $0.isAlertActive = true
      $0.alertStartTime = start
    }
    await store.receive(.alertHistoryResponse(.success([]))) { $0.isLoadingHistory = false }
  }

  @Test func `An active app streams, reads and ticks each second; an inactive one does nothing`() async {
    let store = store()
    await becomeActive(store)
    for _ in 1...3 {
      await clock.advance(by: .seconds(1))
      await store.receive(.timerTick)
    }
    await store.send(.appBecameInactive) { $0.isFollowingAlert = false }
    await clock.advance(by: .seconds(60))
    await store.finish()
  }

  @Test func `Becoming active twice starts one timer and one stream`() async {
    let store = store()
    store.exhaustivity = .off
    await store.send(.appBecameActive)
    await store.send(.appBecameActive)
    await store.skipReceivedActions()
    store.exhaustivity = .on
    await clock.advance(by: .seconds(1))
    await store.receive(.timerTick)
    feed.give(AlertSnapshot())
    await store.receive(.alertSnapshotChanged(AlertSnapshot())) {
      $0.isAlertActive = false
      $0.alertStartTime = nil
    }
    await store.receive(.alertHistoryResponse(.success([])))
    await store.send(.appBecameInactive) { $0.isFollowingAlert = false }
    await clock.advance(by: .seconds(60))
    await store.finish()
  }

  @Test func `Becoming inactive without having been active does nothing`() async {
    let store = store()
    await store.send(.appBecameInactive)
    await store.send(.timerTick)
    await store.finish()
  }
}
