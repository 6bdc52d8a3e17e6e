import AppModel
import AuthFeature
import Clients
import ComposableTesting
import Testing

@MainActor
@Suite struct `The answer to signing out` {
  @Test func `a second tap while it runs is ignored`() async {
    let answer = LateAnswer<Void>()
    let store = authStore(.asked, .mock(signOut: { _ in await answer.wait() }), losing: .nothing)
    await store.send(.alert(.presented(.confirmSignOut))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    await store.send(.signOutButtonTapped)
    await store.send(.alert(.presented(.confirmSignOut)))
    await store.send(.backButtonTapped)
    await answer.arrival()
    answer.give(())
    await store.receive(.signOutResponse(.success(()))) {
      $0.isLoading = false
      $0.isSigningOut = false
      $0.isAuthenticated = false
      $0.phoneEntry = PhoneEntryFeature.State()
    }
  }

  @Test func `if the stream is faster than the answer, the answer changes nothing`() async {
    let answer = LateAnswer<Void>()
    let store = authStore(.asked, .mock(signOut: { _ in await answer.wait() }), losing: .nothing)
    await store.send(.alert(.presented(.confirmSignOut))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    await answer.arrival()
    await store.send(.authenticationStatusResponse(false)) {
      $0.isLoading = false
      $0.isSigningOut = false
      $0.isAuthenticated = false
      $0.phoneEntry = PhoneEntryFeature.State()
    }
    answer.give(())
    await store.receive(.signOutResponse(.success(())))
  }

  @Test func `an answer that follows the stream's does not erase later typing`() async {
    let (answer, code) = (LateAnswer<Void>(), LateAnswer<String>())
    let store = authStore(
      .asked, .mock(sendVerificationCode: { _, _ in await code.wait() }, signOut: { _ in await answer.wait() }),
      losing: .nothing)
    store.exhaustivity = .off
    await store.send(.alert(.presented(.confirmSignOut)))
    await answer.arrival()
    await store.send(.authenticationStatusResponse(false))
    await store.send(.phoneNumberChanged("2025550124"))
    await store.send(.signInButtonTapped)
    await code.arrival()
    let typed = store.state
    answer.give(())
    await store.receive(.signOutResponse(.success(())))
    #expect(store.state == typed)
    code.give("id")
    await store.receive(.sendVerificationCodeResponse(.success("id")))
    #expect(store.state.verificationID == "id")
    await store.finish()
  }

  @Test func `it ends the session even if the tap's task is cancelled`() async {
    let answer = Calls<SignOutLosses?>()
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let client = AuthClient.mock(signOut: {
      answer.note($0)
      for await _ in stream { return }
      throw CancellationError()
    })
    let store = authStore(.asked, client, losing: .nothing)
    let tap = await store.send(.alert(.presented(.confirmSignOut))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    let cancelled = Task { await tap.cancel() }
    await store.send(.timerTick)
    continuation.yield()
    await store.receive(.signOutResponse(.success(()))) {
      $0.isLoading = false
      $0.isSigningOut = false
      $0.isAuthenticated = false
      $0.phoneEntry = PhoneEntryFeature.State()
    }
    await cancelled.value
    await store.finish()
    #expect(answer.all == [SignOutLosses()])
  }

  @Test func `while it runs nothing else starts, whoever is signed in`() async {
    let answer = LateAnswer<Void>()
    var initial = AuthFeature.State.asked
    initial.isAuthenticated = false
    let store = authStore(initial, .mock(signOut: { _ in await answer.wait() }), losing: .nothing)
    await store.send(.alert(.presented(.confirmSignOut))) {
      $0.alert = nil
      $0.isLoading = true
      $0.isSigningOut = true
    }
    await store.send(.backButtonTapped)
    await store.send(.phoneNumberChanged("2025550124")) { $0.phoneNumber = "2025550124" }
    await store.send(.signInButtonTapped)
    await store.send(.signOutButtonTapped)
    await store.send(.authenticationStatusResponse(true)) { $0.isAuthenticated = true }
    await store.send(.signOutButtonTapped)
    await answer.arrival()
    answer.give(())
    await store.receive(.signOutResponse(.success(()))) {
      $0.isLoading = false
      $0.isSigningOut = false
      $0.isAuthenticated = false
      $0.phoneEntry = PhoneEntryFeature.State()
    }
  }
}
