import AlertFeature
import AppModel
import Clients
import ComposableTesting
import Dependencies
import Foundation
import Testing

@MainActor @Suite struct ActivationResetTests {
  @Test func `The button is emptied three seconds after the last tap, not the first`() async {
    let clock = TestClock()
    let store = makeStore { $0.continuousClock = clock }
    await store.send(.alertButtonTapped) { $0.activationProgress = 0.25 }
    await clock.advance(by: .milliseconds(2900))
    await store.send(.alertButtonTapped) { $0.activationProgress = 0.5 }
    await clock.advance(by: .milliseconds(2900))
    // An action by now would fail this as not received.
    await store.send(.timerTick)
    await clock.advance(by: .milliseconds(100))
    await store.receive(.setActivationProgress(0)) { $0.activationProgress = 0 }
    await store.finish()
  }

  @Test func `The tap that fills the button stops the timer`() async {
    let clock = TestClock()
    let answer = Answer<Date>()
    let store = makeStore {
      $0.continuousClock = clock
      $0.alertClient = .mock(activateAlert: answer.wait)
    }
    for progress in [0.25, 0.5, 0.75] {
      await store.send(.alertButtonTapped) { $0.activationProgress = progress }
    }
    await store.send(.alertButtonTapped) {
      $0.activationProgress = 1
      $0.isActivatingAlert = true
    }
    await clock.advance(by: .seconds(60))
    answer.give(start)
    await store.receive(.alertActivationResponse(.success(start))) {
      $0.isActivatingAlert = false
      $0.activationProgress = 0
      $0.isAlertActive = true
      $0.alertStartTime = start
    }
    await store.finish()
  }

  @Test func `An alert that another process raised stops the timer`() async {
    let clock = TestClock()
    let store = makeStore {
      $0.continuousClock = clock
      $0.alertClient = .mock(getAlertHistory: { [] })
    }
    await store.send(.alertButtonTapped) { $0.activationProgress = 0.25 }
    await store.send(.alertSnapshotChanged(.active())) {
      $0.activationProgress = 0
      $0.isAlertActive = true
      $0.alertStartTime = start
      $0.delivery = AlertSnapshot.active().delivery
    }
    await store.receive(.alertHistoryResponse(.success([])))
    await clock.advance(by: .seconds(3))
    await store.finish()
  }

  @Test func `A tap that is cancelled leaves no half-full button`() async {
    let clock = TestClock()
    let store = makeStore { $0.continuousClock = clock }
    let tap = await store.send(.alertButtonTapped) { $0.activationProgress = 0.25 }
    await tap.cancel()
    await clock.advance(by: .seconds(3))
    await store.receive(.setActivationProgress(0)) { $0.activationProgress = 0 }
    await store.finish()
  }

  @Test func `Awaiting a tap does not wait until the button is emptied`() async {
    let clock = TestClock()
    let store = makeStore { $0.continuousClock = clock }
    let tap = await store.send(.alertButtonTapped) { $0.activationProgress = 0.25 }
    await tap.finish()
    await clock.advance(by: .seconds(3))
    await store.receive(.setActivationProgress(0)) { $0.activationProgress = 0 }
    await store.finish()
  }
}
