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
@Suite struct `Signing out` {
  private func warning(
    _ items: PendingItems, stay: String = "Send first", _ button: String, _ message: String
  ) -> AlertState<AuthFeature.Action.Alert> {
    AlertState {
      TextState("Sign Out")
    } actions: {
      ButtonState(role: .cancel, action: .dismissSignOutConfirmation) { TextState(stay) }
      ButtonState(role: .destructive, action: .confirmSignOutLosing(items)) { TextState(button) }
    } message: {
      TextState(message)
    }
  }

  private func record(_ stage: DeliveryStage, isDiscarded: Bool = false) throws -> AlertRecord {
    AlertRecord(
      id: try #require(AlertID("00000000-0000-0000-0000-000000000001")), startTime: Date(timeIntervalSince1970: 0),
      userId: "",
      stage: stage, isDiscarded: isDiscarded)
  }

  private func store(_ losses: SignOutLosses, _ records: [AlertRecord]? = nil) -> AuthStore {
    TestStore(initialState: AuthFeature.State.signedIn) {
      AuthFeature()
    } withDependencies: {
      $0.authClient.signOutLosses = { losses }
      if let records { $0.alertClient.getAlertHistory = { records } }
    }
  }

  @Test func `with nothing to lose the original question stays`() async {
    let store = store(SignOutLosses())
    await store.send(.signOutButtonTapped) {
      $0.alert = AlertState {
        TextState("Sign Out")
      } actions: {
        ButtonState(role: .destructive, action: .confirmSignOut) {
          TextState("Sign Out")
        }
        ButtonState(role: .cancel, action: .dismissSignOutConfirmation) {
          TextState("Cancel")
        }
      } message: {
        TextState("Are you sure you want to sign out?")
      }
    }
    await store.receive(.pendingItemsResponse(.success(PendingItems(SignOutLosses()))))
  }

  @Test func `a single item to lose is named, and its button is at another place`() async throws {
    let losses = SignOutLosses(contactCount: 1)
    let store = store(losses, [try record(.accepted), try record(.saved, isDiscarded: true)])
    await store.send(.signOutButtonTapped) { $0.alert = AuthFeature.State.signOutQuestion }
    await store.receive(.pendingItemsResponse(.success(PendingItems(losses)))) {
      $0.alert = warning(
        PendingItems(losses), "Sign out and discard 1 contact change",
        "Not sent yet: 1 contact change. Signing out now would lose it.")
    }
  }

  @Test func `several items are counted by kind, and an alert among them is named`() async throws {
    let losses = SignOutLosses(alertCount: 1, contactCount: 2)
    let items = PendingItems(losses, includesUnsentAlert: true)
    let store = store(losses, [try record(.saved), try record(.accepted)])
    await store.send(.signOutButtonTapped) { $0.alert = AuthFeature.State.signOutQuestion }
    await store.receive(.pendingItemsResponse(.success(items))) {
      $0.alert = warning(
        items, "Sign out and discard 1 alert and 2 contact changes",
        "Not sent yet: 1 alert and 2 contact changes. Signing out now would lose them. "
          + "The server has not confirmed the alert: perhaps nobody knows of it.")
    }
    await store.send(.alert(.presented(.dismissSignOutConfirmation))) { $0.alert = nil }
  }

  @Test func `the question stays if the losses cannot be counted`() async {
    let store = authStore(.signedIn, .mock(signOutLosses: { throw refusal("Locked") }))
    await store.send(.signOutButtonTapped) { $0.alert = AuthFeature.State.signOutQuestion }
    await store.receive(.pendingItemsResponse(.failure(refusal("Locked"))))
  }

  @Test func `no alert is named if the alerts cannot be read`() async {
    let store = TestStore(initialState: AuthFeature.State.signedIn) {
      AuthFeature()
    } withDependencies: {
      $0.authClient.signOutLosses = { SignOutLosses(otherCount: 2) }
      $0.alertClient.getAlertHistory = { throw refusal("Locked") }
    }
    store.exhaustivity = .off
    await store.send(.signOutButtonTapped)
    await store.receive(.pendingItemsResponse(.success(PendingItems(SignOutLosses(otherCount: 2)))))
  }

  @Test func `a count that arrives after the question shows nothing`() async {
    let answer = LateAnswer<SignOutLosses>()
    let store = authStore(.signedIn, .mock(signOutLosses: { await answer.wait() }))
    await store.send(.signOutButtonTapped) { $0.alert = AuthFeature.State.signOutQuestion }
    await answer.arrival()
    await store.send(.alert(.dismiss)) { $0.alert = nil }
    answer.give(SignOutLosses(otherCount: 3))
    await store.finish()
    await store.send(.pendingItemsResponse(.success(PendingItems(SignOutLosses(otherCount: 3)))))
  }

  @Test func `confirmed, it ends the session and leaves nothing that was typed`() async throws {
    let france = try #require(Region(code: "FR"))
    let calls = Calls<SignOutLosses?>()
    var initial = AuthFeature.State.asked
    initial.selectedRegion = france
    let store = authStore(initial, .mock(signOut: { calls.note($0) }), losing: .nothing)
    await store.send(.alert(.presented(.confirmSignOut))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    await store.receive(.signOutResponse(.success(()))) {
      $0.isLoading = false
      $0.isSigningOut = false
      $0.isAuthenticated = false
      $0.phoneNumber = ""
      $0.isPhoneNumberValid = false
      $0.verificationCode = ""
      $0.verificationID = nil
      $0.isVerificationCodeSent = false
    }
    #expect(calls.all == [SignOutLosses()])
    #expect(store.state.selectedRegion == france)
    #expect(!store.state.isSignInButtonEnabled)
  }

  @Test func `refused, it says why, and the person stays signed in`() async {
    let store = authStore(
      .asked, .mock(signOut: { _ in throw refusal("The server cannot be reached") }), losing: .nothing)
    await store.send(.alert(.presented(.confirmSignOut))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    await store.receive(.signOutResponse(.failure(refusal("The server cannot be reached")))) {
      $0.isLoading = false
      $0.isSigningOut = false
      $0.error = "The server cannot be reached"
      $0.problem = .signOut
    }
    #expect(store.state.isAuthenticated)
  }

  @Test func `the client discards the unsent items`() async {
    let calls = Calls<SignOutLosses?>()
    var initial = AuthFeature.State.asked
    initial.alert = warning(PendingItems(SignOutLosses(otherCount: 1)), "Sign out and discard 1 change", "…")
    let store = authStore(initial, .mock(signOut: { calls.note($0) }), losing: .nothing)
    await store.send(.alert(.presented(.confirmSignOutLosing(PendingItems(SignOutLosses(otherCount: 1)))))) {
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
    #expect(calls.all == [SignOutLosses(otherCount: 1)], "what the person was told, handed back")
  }

  @Test func `nothing is discarded that the person was not told of`() async {
    let store = authStore(.asked)
    let losing = AuthFeature.Action.alert(.presented(.confirmSignOutLosing(PendingItems(SignOutLosses(otherCount: 1)))))
    await store.send(losing) { $0.alert = nil }
    await store.send(losing)
    await store.send(.alert(.presented(.confirmSignOut)))
  }

  @Test func `cancelled, it changes nothing`() async {
    let store = authStore(.asked)
    await store.send(.alert(.presented(.dismissSignOutConfirmation))) { $0.alert = nil }
    await store.send(.alert(.dismiss))
  }
}
