import AlertFeature
import AppModel
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import Model
import Testing

@MainActor @Suite struct FollowingTests {
  private let feed = Feed()

  private func store(_ state: @autoclosure () -> AlertFeature.State = AlertFeature.State()) -> TestStoreOf<AlertFeature>
  {
    makeStore(state()) { [feed] in
      $0.alertClient = .mock(
        activateAlert: { start }, deactivateAlert: { end }, getAlertHistory: { [] }, snapshots: feed.snapshots)
    }
  }

  private func responder(_ state: DeliveryState) -> ResponderDelivery {
    ResponderDelivery(
      id: ReceiptID(versionSevenAt: Timestamp(start), random: (3, 4)), name: "Ana", channel: "ntfy", state: state,
      at: end)
  }

  @Test func `The stream shows each step: saved, accepted, then each responder`() async {
    let store = store(.active)
    await store.send(.task) { $0.isFollowingAlert = true }
    var snapshot = AlertSnapshot.active()
    var ladder = [snapshot]
    snapshot.connection = ConnectionStatus(isSignedIn: true, lastSuccessAt: end)
    snapshot.delivery?.acceptedAt = end
    ladder.append(snapshot)
    for state in [DeliveryState.queued, .sent, .seen, .acknowledged] {
      snapshot.delivery?.responders = [responder(state)]
      ladder.append(snapshot)
    }
    for rung in ladder {
      feed.give(rung)
      await store.receive(.alertSnapshotChanged(rung)) {
        $0.delivery = rung.delivery
        $0.connection = rung.connection
      }
      await store.receive(.alertHistoryResponse(.success([])))
    }
    await store.send(.appBecameInactive) { $0.isFollowingAlert = false }
    await store.finish()
  }

  @Test func `Alerts that another process raises and ends are shown, drills as drills`() async {
    let store = store()
    await store.send(.task) { $0.isFollowingAlert = true }
    var raised = AlertSnapshot.active()
    raised.isDrill = true
    feed.give(raised)
    await store.receive(.alertSnapshotChanged(raised)) {
      $0.isAlertActive = true
      $0.alertStartTime = start
      $0.delivery = raised.delivery
      $0.isDrill = true
    }
    await store.receive(.alertHistoryResponse(.success([])))
    feed.give(.ended())
    await store.receive(.alertSnapshotChanged(.ended())) {
      $0.isAlertActive = false
      $0.alertEndTime = end
      $0.isDrill = false
    }
    await store.receive(.alertHistoryResponse(.success([])))
    await store.send(.appBecameInactive) { $0.isFollowingAlert = false }
    await store.finish()
  }

  @Test(arguments: [AlertSnapshot(), .active(), .active(end), .ended()])
  func `While an answer is pending, a snapshot updates only the connection`(snapshot: AlertSnapshot) async {
    var snapshot = snapshot
    snapshot.connection.pendingCount = 7
    for state in [AlertFeature.State.activating, .deactivating] {
      let store = makeStore(state)
      await store.send(.alertSnapshotChanged(snapshot)) { $0.connection.pendingCount = 7 }
    }
  }

  @Test func `Each answer restarts the stream, so that no older snapshot follows the commit`() async {
    let store = store(.init(activationProgress: 0.75))
    store.exhaustivity = .off
    await store.send(.task)
    await store.send(.alertButtonTapped)
    await store.receive(.alertActivationResponse(.success(start)))
    await store.send(.timerTick)
    #expect(store.state.isAlertActive)
    feed.give(.active())
    await store.receive(.alertSnapshotChanged(.active()))
    #expect(feed.count == 2)
    await store.send(.deactivateAlertConfirmed)
    await store.receive(.alertDeactivationResponse(.success(end)))
    feed.give(.ended())
    await store.receive(.alertSnapshotChanged(.ended()))
    #expect(feed.count == 3)
    await store.send(.appBecameInactive)
    await store.finish()
  }

  @Test func `Without a running stream an answer starts none`() async {
    let store = store(.init(activationProgress: 0.75))
    store.exhaustivity = .off
    await store.send(.alertButtonTapped)
    await store.receive(.alertActivationResponse(.success(start)))
    await store.finish()
    #expect(feed.count == 0)
  }

  @Test func `A device whose data was removed shows no alert any more`() async {
    let store = store(.init(isAlertActive: true, alertStartTime: start, delivery: AlertDelivery(savedAt: start)))
    await store.send(.alertSnapshotChanged(AlertSnapshot())) {
      $0.isAlertActive = false
      $0.alertStartTime = nil
      $0.delivery = nil
    }
    await store.receive(.alertHistoryResponse(.success([])))
  }
}
