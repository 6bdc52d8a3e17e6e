import AlertFeature
import AppModel
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import Testing

@MainActor @Suite struct DeactivationTests {
  @Test func `If the end could not be saved, the alert stays active and the person sees why`() async {
    let store = makeStore(.active) {
      $0.alertClient = .mock(deactivateAlert: { throw DiskFull() })
    }
    await store.send(.alertDeactivationProgressChanged(1)) {
      $0.deactivationProgress = 1
      $0.isDeactivatingAlert = true
    }
    await store.receive(.alertDeactivationResponse(.failure(DiskFull()))) {
      $0.isDeactivatingAlert = false
      $0.deactivationProgress = 0
      $0.error = DiskFull.message
      $0.problem = .endNotSaved
    }
    #expect(store.state.canDeactivateAlert)
  }

  @Test func `A button that is full twice ends it once`() async {
    let (ended, told) = (Counter(), Counter())
    let answer = Answer<Date>()
    let store = makeStore(.active) {
      $0.alertClient = .mock(deactivateAlert: {
        ended()
        return try await answer.wait()
      })
      $0.notificationClient = .mock(notifyRespondersOfAlertDeactivation: { told() })
    }
    await store.send(.alertDeactivationProgressChanged(1)) {
      $0.deactivationProgress = 1
      $0.isDeactivatingAlert = true
    }
    await store.send(.alertDeactivationProgressChanged(1))
    await store.send(.alertDeactivationProgressChanged(0.2))
    await store.send(.deactivateAlertConfirmed)
    await store.send(.alertDeactivationButtonTapped)
    answer.give(end)
    await store.receive(.alertDeactivationResponse(.success(end))) {
      $0.isDeactivatingAlert = false
      $0.deactivationProgress = 0
      $0.isAlertActive = false
      $0.alertEndTime = end
    }
    await store.send(.alertDeactivationProgressChanged(1))
    await store.finish()
    #expect(ended.count == 1)
    #expect(told.count == 1)
  }

  @Test(arguments: [AlertFeature.State(), .activating, .init(alertStartTime: start, alertEndTime: end)])
  func `Without an alert there is nothing to end`(state: AlertFeature.State) async {
    let store = makeStore(state)
    await store.send(.alertDeactivationProgressChanged(1))
    await store.send(.alertDeactivationProgressChanged(0.5))
    await store.send(.alertDeactivationButtonTapped)
    await store.send(.deactivateAlertConfirmed)
    await store.send(.confirmationAlert(.presented(.deactivateAlertConfirmed)))
  }

  @Test(arguments: [(-1, 0), (.nan, 0), (-.infinity, 0), (0.3, 0.3)] as [(Double, Double)])
  func `Progress is clamped to 0…1, and NaN counts as 0`(progress: Double, shown: Double) async {
    let store = makeStore(.init(isAlertActive: true, deactivationProgress: 0.5, alertStartTime: start))
    await store.send(.alertDeactivationProgressChanged(progress)) { $0.deactivationProgress = shown }
  }

  @Test(arguments: [AlertFeature.State(), .active, .activating])
  func `An unexpected answer changes nothing`(state: AlertFeature.State) async {
    let store = makeStore(state)
    await store.send(.alertDeactivationResponse(.success(end)))
    await store.send(.alertDeactivationResponse(.failure(DiskFull())))
  }

  @Test func `An alert is ended even if the task of the confirmation is cancelled`() async {
    let answer = Answer<Date>()
    let store = makeStore(.active) {
      $0.alertClient = .mock(deactivateAlert: answer.wait)
    }
    let confirmed = await store.send(.deactivateAlertConfirmed) { $0.isDeactivatingAlert = true }
    let cancelled = Task { await confirmed.cancel() }
    await store.send(.timerTick)
    answer.give(end)
    await store.receive(.alertDeactivationResponse(.success(end))) {
      $0.isDeactivatingAlert = false
      $0.isAlertActive = false
      $0.alertEndTime = end
    }
    await cancelled.value
    await store.finish()
  }

  @Test func `An app that becomes active while an alert is being ended still shows it as active`() async {
    let (answer, feed, asked) = (Answer<Date>(), Feed(), Counter())
    let store = makeStore(.active) {
      $0.alertClient = .mock(
        deactivateAlert: {
          asked()
          guard asked.count == 1 else { throw NoActiveAlert() }
          return try await answer.wait()
        }, getAlertHistory: { [] }, getAlertStatus: { AlertSnapshot(isActive: true, startTime: start) },
        snapshots: feed.snapshots)
    }
    store.exhaustivity = .off
    await store.send(.deactivateAlertConfirmed)
    await store.send(.appBecameActive)
    answer.give(end)
    await store.receive(.alertDeactivationResponse(.success(end)))
    #expect(store.state.error == nil)
    #expect(!store.state.isAlertActive)
    await store.send(.appBecameInactive)
    await store.finish()
    #expect(asked.count == 1)
  }
}

private struct NoActiveAlert: Error {}
