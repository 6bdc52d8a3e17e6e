import AlertFeature
import AppModel
import Clients
import ComposableTesting
import Dependencies
import Foundation
import Model
import SystemKit
import Testing

/// What is ended is what the person saw when they began to end it.
@MainActor @Suite struct ShownAlertsTests {
  /// What the client was told to end.
  private final class Ended: Sendable {
    private let snapshots = Lock<[AlertSnapshot]>([])
    var all: [AlertSnapshot] { snapshots.withLock { $0 } }

    func add(_ snapshot: AlertSnapshot) { snapshots.withLock { $0.append(snapshot) } }
  }

  private let ended = Ended()

  /// Of alerts that were raised so many minutes after the start.
  private func snapshot(raisedAtMinutes minutes: [Int]) -> AlertSnapshot {
    var snapshot = AlertSnapshot.active()
    snapshot.toEnd = minutes.map { minute in
      let raised = Timestamp(start.addingTimeInterval(Double(60 * minute)))
      return AlertToEnd(
        alert: Alert(id: AlertID(versionSevenAt: raised, random: (1, 1)), startedAt: raised), seenUpdates: [])
    }
    return snapshot
  }

  private func store(
    stillActive activeCount: Int? = 0, _ clock: TestClock = TestClock()
  ) -> TestStoreOf<AlertFeature> {
    let store = makeStore(.active) { [ended] in
      $0.continuousClock = clock
      $0.alertClient = .mock(
        getAlertHistory: { [] },
        deactivateShownAlerts: { shown in
          ended.add(shown)
          return EndedAlerts(endTime: end, activeCount: activeCount)
        })
    }
    store.exhaustivity = .off
    return store
  }

  @Test func `An alert that came while the person held the key goes on`() async {
    let clock = TestClock()
    let store = store(stillActive: 1, clock)
    await store.send(.alertSnapshotChanged(snapshot(raisedAtMinutes: [0])))
    await store.send(.deactivationHoldBegan)
    await clock.advance(by: .milliseconds(1500))
    await store.send(.alertSnapshotChanged(snapshot(raisedAtMinutes: [0, 3])))
    await clock.advance(by: .milliseconds(1500))
    await store.skipReceivedActions()
    #expect(ended.all == [snapshot(raisedAtMinutes: [0])])
    #expect(store.state.problem == .stillActive)
    #expect(store.state.error?.contains("another alert is active, which was not") == true)
    await store.finish()
  }

  @Test func `An alert that came while the person was asked goes on`() async {
    let store = store(stillActive: 2)
    await store.send(.alertSnapshotChanged(snapshot(raisedAtMinutes: [0])))
    await store.send(.alertDeactivationButtonTapped)
    await store.send(.alertSnapshotChanged(snapshot(raisedAtMinutes: [0, 3, 4])))
    await store.send(.confirmationAlert(.presented(.deactivateAlertConfirmed)))
    await store.skipReceivedActions()
    #expect(ended.all == [snapshot(raisedAtMinutes: [0])])
    #expect(store.state.error?.contains("2 others are active, which were not") == true)
    await store.finish()
  }

  @Test func `A view that measures the hold itself ends what was shown at its beginning`() async {
    let store = store()
    await store.send(.alertSnapshotChanged(snapshot(raisedAtMinutes: [0])))
    await store.send(.alertDeactivationProgressChanged(0.1))
    await store.send(.alertSnapshotChanged(snapshot(raisedAtMinutes: [0, 3])))
    await store.send(.alertDeactivationProgressChanged(1))
    await store.skipReceivedActions()
    #expect(ended.all == [snapshot(raisedAtMinutes: [0])])
    #expect(store.state.error == nil)
    await store.finish()
  }

  @Test func `A hold that was given up counts for nothing`() async {
    let clock = TestClock()
    let store = store(clock)
    await store.send(.alertSnapshotChanged(snapshot(raisedAtMinutes: [0])))
    await store.send(.deactivationHoldBegan)
    await store.send(.deactivationHoldEnded)
    await store.send(.alertSnapshotChanged(snapshot(raisedAtMinutes: [0, 3])))
    await store.send(.deactivationHoldBegan)
    await clock.advance(by: .seconds(3))
    await store.skipReceivedActions()
    #expect(ended.all == [snapshot(raisedAtMinutes: [0, 3])])
    await store.finish()
  }

  @Test func `Where it cannot be read what else is active, that is said`() async {
    let store = store(stillActive: nil)
    await store.send(.deactivateAlertConfirmed)
    await store.skipReceivedActions()
    #expect(store.state.problem == .stillActive)
    #expect(store.state.error?.contains("cannot be read whether another alert is active") == true)
    await store.finish()
  }
}
