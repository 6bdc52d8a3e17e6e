import AlertFeature
import AppModel
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import SystemKit
import Testing

@MainActor @Suite struct ActivationTests {
  @Test func `The fourth tap raises the alert and notifies the responders, once`() async {
    let (raised, told) = (Counter(), Counter())
    let store = makeStore(.init(activationProgress: 0.75, alertEndTime: end, error: "an old error")) {
      $0.alertClient = .mock(activateAlert: {
        raised()
        return start
      })
      $0.notificationClient = .mock(notifyRespondersOfAlert: { told() })
    }
    await store.send(.alertButtonTapped) {
      $0.activationProgress = 1
      $0.isActivatingAlert = true
    }
    await store.receive(.alertActivationResponse(.success(start))) {
      $0.isActivatingAlert = false
      $0.activationProgress = 0
      $0.isAlertActive = true
      $0.alertStartTime = start
      $0.alertEndTime = nil
      $0.error = nil
    }
    await store.finish()
    #expect(raised.count == 1)
    #expect(told.count == 1)
  }

  @Test func `If it could not be saved, the person sees why and can try again`() async {
    let store = makeStore(.init(activationProgress: 0.75)) {
      $0.alertClient = .mock(activateAlert: { throw DiskFull() })
    }
    await store.send(.alertButtonTapped) {
      $0.activationProgress = 1
      $0.isActivatingAlert = true
    }
    await store.receive(.alertActivationResponse(.failure(DiskFull()))) {
      $0.isActivatingAlert = false
      $0.activationProgress = 0
      $0.error = DiskFull.message
      $0.problem = .notSaved
    }
    #expect(store.state.canActivateAlert)
  }

  @Test func `An alert is raised even if the task of the fourth tap is cancelled`() async {
    let answer = Answer<Date>()
    let store = makeStore(.init(activationProgress: 0.75)) {
      $0.alertClient = .mock(activateAlert: answer.wait)
    }
    let tap = await store.send(.alertButtonTapped) {
      $0.activationProgress = 1
      $0.isActivatingAlert = true
    }
    let cancelled = Task { await tap.cancel() }
    await store.send(.timerTick)
    answer.give(start)
    await store.receive(.alertActivationResponse(.success(start))) {
      $0.isActivatingAlert = false
      $0.activationProgress = 0
      $0.isAlertActive = true
      $0.alertStartTime = start
    }
    await cancelled.value
    await store.finish()
  }

  @Test func `Awaiting the fourth tap waits for the alert, not for the stream or the notification after it`() async {
    let feed = Feed()
    let store = makeStore(.init(activationProgress: 0.75)) {
      $0.alertClient = .mock(activateAlert: { start }, snapshots: feed.snapshots)
    }
    store.exhaustivity = .off
    await store.send(.task)
    await store.send(.alertButtonTapped).finish()
    await store.receive(.alertActivationResponse(.success(start)))
    #expect(feed.count == 2)
    await store.send(.appBecameInactive)
    await store.finish()
  }

  @Test func `An app that becomes active while an alert is being raised does not raise it again`() async {
    let (answer, feed, asked) = (Answer<Date>(), Feed(), Counter())
    let store = makeStore(.init(activationProgress: 0.75)) {
      $0.alertClient = .mock(
        activateAlert: {
          asked()
          guard asked.count == 1 else { throw DiskFull() }
          return try await answer.wait()
        }, snapshots: feed.snapshots)
    }
    store.exhaustivity = .off
    await store.send(.alertButtonTapped)
    await store.send(.task)
    answer.give(start)
    await store.receive(.alertActivationResponse(.success(start)))
    await store.send(.appBecameInactive)
    await store.finish()
    #expect(asked.count == 1)
  }

  @Test(arguments: [AlertFeature.State.activating, .active, .deactivating])
  func `Taps while an alert is active or being saved do nothing`(state: AlertFeature.State) async {
    let store = makeStore(state)
    await store.send(.alertButtonTapped)
    await store.send(.setActivationProgress(1))
    await store.send(.setActivationProgress(0.5))
    await store.send(.setActivationProgress(0))
  }

  @Test(arguments: [AlertFeature.State(), .active, .deactivating, .init(alertStartTime: start, alertEndTime: end)])
  func `An unexpected answer changes nothing`(state: AlertFeature.State) async {
    let store = makeStore(state)
    await store.send(.alertActivationResponse(.success(end)))
    await store.send(.alertActivationResponse(.failure(DiskFull())))
  }

  @Test func `A second answer does not make an alert active that has ended since`() async {
    let store = makeStore(.activating) {
      $0.alertClient = .mock(getAlertHistory: { [] })
    }
    await store.send(.alertActivationResponse(.success(start))) {
      $0.isActivatingAlert = false
      $0.activationProgress = 0
      $0.isAlertActive = true
      $0.alertStartTime = start
    }
    await store.send(.alertSnapshotChanged(.ended())) {
      $0.isAlertActive = false
      $0.alertEndTime = end
      $0.delivery = AlertDelivery(savedAt: start)
    }
    await store.receive(.alertHistoryResponse(.success([])))
    await store.send(.alertActivationResponse(.success(start)))
    await store.finish()
  }

  @Test(arguments: [(-1, 0), (.nan, 0), (-.infinity, 0), (0.3, 0.3)] as [(Double, Double)])
  func `Progress is clamped to 0…1, and NaN counts as 0`(progress: Double, shown: Double) async {
    let store = makeStore(.init(activationProgress: 0.5))
    await store.send(.setActivationProgress(progress)) { $0.activationProgress = shown }
    await store.finish()
  }

  @Test(arguments: [1, 1.5, .infinity] as [Double])
  func `A full button raises the alert, no matter what filled it`(progress: Double) async {
    let store = makeStore {
      $0.alertClient = .mock(activateAlert: { start })
    }
    await store.send(.setActivationProgress(progress)) {
      $0.activationProgress = 1
      $0.isActivatingAlert = true
    }
    store.exhaustivity = .off
    await store.receive(.alertActivationResponse(.success(start)))
    await store.finish()
  }

  @Test func `A NaN progress does not keep the button from being filled`() async {
    let store = makeStore(.init(activationProgress: .nan))
    store.exhaustivity = .off
    await store.send(.alertButtonTapped)
    #expect(store.state.activationProgress == 0.25)
  }

  @Test func `The delivery states of the last alert are not shown for the new one`() async {
    let store = makeStore(
      .init(
        activationProgress: 1, alertStartTime: start, alertEndTime: end, isActivatingAlert: true,
        delivery: AlertDelivery(savedAt: start, acceptedAt: start), isDrill: true))
    await store.send(.alertActivationResponse(.success(end))) {
      $0.isActivatingAlert = false
      $0.activationProgress = 0
      $0.isAlertActive = true
      $0.alertStartTime = end
      $0.alertEndTime = nil
      $0.delivery = nil
      $0.isDrill = false
    }
    await store.finish()
  }

  @Test func `A failure to notify responders at once is reported to the programmer, not to the person`() async {
    let issues = Lock<[ReportedIssue]>([])
    await IssueReporting.withReporter { issue in
      issues.withLock { $0.append(issue) }
    } operation: {
      let store = makeStore(.activating) {
        $0.notificationClient = .mock(
          notifyRespondersOfAlert: { throw DiskFull() },
          notifyRespondersOfAlertDeactivation: { throw CancellationError() })
        $0.alertClient = .mock(deactivateAlert: { end })
      }
      store.exhaustivity = .off
      await store.send(.alertActivationResponse(.success(start)))
      #expect(store.state.error == nil)
      await store.finish()
      await store.send(.deactivateAlertConfirmed)
      await store.receive(.alertDeactivationResponse(.success(end)))
      #expect(store.state.error == nil)
      await store.finish()
    }
    let told = issues.withLock { $0 }
    #expect(told.map(\.severity) == [.warning])
    #expect(told.first?.message.hasPrefix("responders were not told at once") == true)
  }
}
