import AlertFeature
import AppModel
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import Testing

@MainActor @Suite struct DialogTests {
  private var question: AlertState<AlertFeature.Action.ConfirmationAlert> {
    AlertState {
      TextState("Deactivate Alert")
    } actions: {
      ButtonState(role: .destructive, action: .deactivateAlertConfirmed) { TextState("Deactivate") }
      ButtonState(role: .cancel) { TextState("Cancel") }
    } message: {
      TextState("Are you sure you want to deactivate the alert? This will notify your responders that you are safe.")
    }
  }

  private func errorDialog(_ message: String) -> AlertState<AlertFeature.Action.ConfirmationAlert> {
    AlertState {
      TextState("Error")
    } actions: {
      ButtonState(role: .cancel) { TextState("OK") }
    } message: {
      TextState(message)
    }
  }

  @Test func `The button asks first, and confirming ends the alert`() async {
    let store = makeStore(.active) {
      $0.alertClient = .mock(deactivateAlert: { end })
    }
    await store.send(.alertDeactivationButtonTapped) { $0.confirmationAlert = question }
    await store.send(.confirmationAlert(.presented(.deactivateAlertConfirmed))) {
      $0.confirmationAlert = nil
      $0.isDeactivatingAlert = true
    }
    await store.receive(.alertDeactivationResponse(.success(end))) {
      $0.isDeactivatingAlert = false
      $0.isAlertActive = false
      $0.alertEndTime = end
    }
    await store.finish()
  }

  @Test func `Cancelling leaves it active`() async {
    let store = makeStore(.active)
    await store.send(.alertDeactivationButtonTapped) { $0.confirmationAlert = question }
    await store.send(.confirmationAlert(.dismiss)) { $0.confirmationAlert = nil }
    await store.send(.confirmationAlert(.dismiss))
  }

  @Test func `A button of a dismissed dialog does nothing`() async {
    let store = makeStore(.active)
    await store.send(.confirmationAlert(.presented(.deactivateAlertConfirmed)))
    await store.send(.setError("No signal")) {
      $0.error = "No signal"
      $0.problem = .other
      $0.confirmationAlert = errorDialog("No signal")
    }
    await store.send(.confirmationAlert(.presented(.deactivateAlertConfirmed))) { $0.confirmationAlert = nil }
    #expect(store.state.isAlertActive && !store.state.isDeactivatingAlert)
  }

  @Test func `A question about an alert that another process ended is dismissed`() async {
    let store = makeStore(.active) {
      $0.alertClient = .mock(getAlertHistory: { [] })
    }
    await store.send(.alertDeactivationButtonTapped) { $0.confirmationAlert = question }
    await store.send(.alertSnapshotChanged(.ended())) {
      $0.isAlertActive = false
      $0.alertEndTime = end
      $0.delivery = AlertSnapshot.ended().delivery
      $0.confirmationAlert = nil
    }
    await store.receive(.alertHistoryResponse(.success([])))
    await store.send(.deactivateAlertConfirmed)
  }

  @Test func `A hold that ends the alert answers the question`() async {
    let store = makeStore(.active) {
      $0.alertClient = .mock(deactivateAlert: { end })
    }
    await store.send(.alertDeactivationButtonTapped) { $0.confirmationAlert = question }
    await store.send(.alertDeactivationProgressChanged(1)) {
      $0.deactivationProgress = 1
      $0.isDeactivatingAlert = true
      $0.confirmationAlert = nil
    }
    store.exhaustivity = .off
    await store.receive(.alertDeactivationResponse(.success(end)))
    await store.finish()
  }

  @Test func `An error is shown in a dialog, and counts as read when that is dismissed`() async {
    let store = makeStore()
    await store.send(.setError("No signal")) {
      $0.error = "No signal"
      $0.problem = .other
      $0.confirmationAlert = errorDialog("No signal")
    }
    await store.send(.confirmationAlert(.dismiss)) {
      $0.error = nil
      $0.confirmationAlert = nil
    }
  }

  @Test func `A newer error stays when the dialog of an older one is dismissed`() async {
    let store = makeStore(.activating)
    store.exhaustivity = .off
    await store.send(.setError("No signal"))
    await store.send(.alertActivationResponse(.failure(DiskFull())))
    await store.send(.confirmationAlert(.dismiss))
    #expect(store.state.error == DiskFull.message)
    #expect(store.state.confirmationAlert == nil)
  }

  @Test(arguments: [AlertFeature.Action.dismissError, .setError(nil)])
  func `An error disappears with its dialog, and an open question stays`(
    action: AlertFeature.Action
  ) async {
    let store = makeStore(.active)
    await store.send(.setError("No signal")) {
      $0.error = "No signal"
      $0.problem = .other
      $0.confirmationAlert = errorDialog("No signal")
    }
    await store.send(action) {
      $0.error = nil
      $0.confirmationAlert = nil
    }
    await store.send(.alertDeactivationButtonTapped) { $0.confirmationAlert = question }
    await store.send(action)
  }
}
