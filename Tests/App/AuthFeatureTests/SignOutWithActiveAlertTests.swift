import AppModel
import AuthFeature
import Clients
import Composable
import ComposableTesting
import Dependencies
import Foundation
import Model
import Testing

@MainActor
@Suite struct `Signing out while an alert is active` {
  private func question(
    _ items: PendingItems, _ button: String, _ message: String
  ) -> AlertState<AuthFeature.Action.Alert> {
    AlertState {
      TextState("Sign Out")
    } actions: {
      ButtonState(role: .cancel, action: .dismissSignOutConfirmation) { TextState("Stay signed in") }
      ButtonState(role: .destructive, action: .confirmSignOutLosing(items)) { TextState(button) }
    } message: {
      TextState(message)
    }
  }

  @Test func `the question says that this device can no longer end it, and has its own button`() async {
    let given = Calls<SignOutLosses?>()
    let store = authStore(
      .signedIn, .mock(signOut: { given.note($0) }), losing: PendingItems(SignOutLosses(isAlertActive: true)))
    let items = PendingItems(SignOutLosses(isAlertActive: true))
    await store.send(.signOutButtonTapped) { $0.alert = AuthFeature.State.signOutQuestion }
    await store.receive(.pendingItemsResponse(.success(items))) {
      $0.alert = question(
        items, "Sign out and leave the alert active",
        "An alert is active. After signing out this device can no longer end it.")
    }
    await store.send(.alert(.presented(.confirmSignOutLosing(items)))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    await store.receive(.signOutResponse(.success(()))) {
      $0.isLoading = false
      $0.isSigningOut = false
      $0.isAuthenticated = false
      $0.phoneEntry = PhoneEntryFeature.State()
    }
    #expect(given.all == [SignOutLosses(isAlertActive: true)], "there is nothing to give up")
  }

  @Test func `other losses are named too`() async throws {
    let id = try #require(AlertID("00000000-0000-0000-0000-000000000001"))
    let store = TestStore(initialState: AuthFeature.State.signedIn) {
      AuthFeature()
    } withDependencies: {
      $0.authClient.signOutLosses = { SignOutLosses(alertCount: 1, isAlertActive: true) }
      $0.alertClient.getAlertHistory = { [AlertRecord(id: id, startTime: .distantPast, userId: "", stage: .saved)] }
    }
    let items = PendingItems(
      SignOutLosses(alertCount: 1, isAlertActive: true), includesUnsentAlert: true)
    await store.send(.signOutButtonTapped) { $0.alert = AuthFeature.State.signOutQuestion }
    await store.receive(.pendingItemsResponse(.success(items))) {
      $0.alert = question(
        items, "Sign out, leave the alert active, discard 1 alert",
        "An alert is active. After signing out this device can no longer end it. "
          + "Not sent yet: 1 alert. Signing out now would lose it. "
          + "The server has not confirmed the alert: perhaps nobody knows of it.")
    }
  }

  @Test func `the button of another question has no effect`() async {
    var state = AuthFeature.State.signedIn
    state.alert = question(PendingItems(SignOutLosses(isAlertActive: true)), "…", "…")
    let store = authStore(state)
    let other = PendingItems(SignOutLosses(otherCount: 2, isAlertActive: true))
    await store.send(.alert(.presented(.confirmSignOutLosing(other)))) { $0.alert = nil }
  }

  @Test func `the device's refusal keeps its own text`() async {
    let store = authStore(
      .asked, .mock(signOut: { _ in throw refusal("An alert was raised meanwhile.") }), losing: .nothing)
    store.exhaustivity = .off
    await store.send(.alert(.presented(.confirmSignOut)))
    await store.receive(.signOutResponse(.failure(refusal("An alert was raised meanwhile."))))
    #expect(store.state.error == "An alert was raised meanwhile.")
    #expect(store.state.isAuthenticated && !store.state.isLoading && !store.state.isSigningOut)
  }

  @Test(arguments: [
    PendingItems(SignOutLosses(isAlertActive: true)), PendingItems(SignOutLosses(otherCount: 2, isAlertActive: true)),
  ])
  func `confirming before the alert is known asks again, and does not sign out`(items: PendingItems) async {
    let store = TestStore(initialState: AuthFeature.State.asked) {
      AuthFeature()
    } withDependencies: {
      $0.authClient.signOutLosses = { items.losses }
      $0.alertClient.getAlertHistory = { [] }
    }
    store.exhaustivity = .off
    await store.send(.alert(.presented(.confirmSignOut))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    await store.receive(.signOutHeldBack(items)) {
      $0.isLoading = false
      $0.isSigningOut = false
    }
    #expect(store.state.alert?.buttons.map(\.action) == [.dismissSignOutConfirmation, .confirmSignOutLosing(items)])
  }

  @Test func `if it cannot be known, confirming shows the reason, and does not sign out`() async {
    let store = TestStore(initialState: AuthFeature.State.signedIn) {
      AuthFeature()
    } withDependencies: {
      $0.authClient.signOutLosses = { throw outage("The disk cannot be read.") }
    }
    await store.send(.signOutButtonTapped) { $0.alert = AuthFeature.State.signOutQuestion }
    await store.receive(.pendingItemsResponse(.failure(outage("The disk cannot be read."))))
    await store.send(.alert(.presented(.confirmSignOut))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    await store.receive(.signOutResponse(.failure(outage("The disk cannot be read.")))) {
      $0.isLoading = false
      $0.isSigningOut = false
      $0.error = "The disk cannot be read."
      $0.problem = .signOut
    }
  }
}
