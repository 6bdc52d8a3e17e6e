import ComposableTesting
import Foundation
import LifeSignalFeatures
import XCTest

// The examples of the document on the alert feature's effects, word for word.
@MainActor
final class AlertFeatureTests: XCTestCase {
  func testAlertActivation() async {
    let store = TestStore(initialState: AlertFeature.State()) {
      AlertFeature()
    } withDependencies: {
      $0.alertClient = .mock(
        activateAlert: {
          return Date(timeIntervalSince1970: 0)
        }
      )
      $0.notificationClient = .mock(
        notifyRespondersOfAlert: {}
      )
      $0.date = .constant(Date(timeIntervalSince1970: 0))
    }

    // Simulate 4 taps to reach 100% activation
    await store.send(.alertButtonTapped) {
      $0.activationProgress = 0.25
    }

    await store.send(.alertButtonTapped) {
      $0.activationProgress = 0.5
    }

    await store.send(.alertButtonTapped) {
      $0.activationProgress = 0.75
    }

    await store.send(.alertButtonTapped) {
      $0.activationProgress = 1.0
      $0.isActivatingAlert = true
    }

    await store.receive(.alertActivationResponse(.success(Date(timeIntervalSince1970: 0)))) {
      $0.isActivatingAlert = false
      $0.isAlertActive = true
      $0.alertStartTime = Date(timeIntervalSince1970: 0)
      $0.alertEndTime = nil
      $0.activationProgress = 0
    }
  }

  func testAlertDeactivation() async {
    let store = TestStore(
      initialState: AlertFeature.State(
        isAlertActive: true,
        alertStartTime: Date(timeIntervalSince1970: 0)
      )
    ) {
      AlertFeature()
    } withDependencies: {
      $0.alertClient = .mock(
        deactivateAlert: {
          return Date(timeIntervalSince1970: 3600)
        }
      )
      $0.notificationClient = .mock(
        notifyRespondersOfAlertDeactivation: {}
      )
      $0.date = .constant(Date(timeIntervalSince1970: 3600))
    }

    await store.send(.alertDeactivationProgressChanged(1.0)) {
      $0.deactivationProgress = 1.0
      $0.isDeactivatingAlert = true
    }

    await store.receive(.alertDeactivationResponse(.success(Date(timeIntervalSince1970: 3600)))) {
      $0.isDeactivatingAlert = false
      $0.isAlertActive = false
      $0.alertEndTime = Date(timeIntervalSince1970: 3600)
      $0.deactivationProgress = 0
    }
  }

}
