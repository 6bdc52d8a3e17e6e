import AuthFeature
import Clients
import ComposableTesting
import Dependencies
import Testing

@MainActor
@Suite struct `Whether somebody is signed in` {
  @Test func `it is read at launch`() async {
    let store = authStore(AuthFeature.State(), .mock(isAuthenticated: { true }))
    await store.send(.checkAuthenticationStatus)
    await store.receive(.authenticationStatusResponse(true)) { $0.isAuthenticated = true }
  }

  @Test func `without a session nothing changes`() async {
    let store = authStore(AuthFeature.State(), .mock(isAuthenticated: { false }))
    await store.send(.checkAuthenticationStatus)
    await store.receive(.authenticationStatusResponse(false))
  }

  @Test func `it is streamed, and a session that ends elsewhere leaves no state`() async {
    let (states, continuation) = AsyncStream<Bool>.makeStream()
    let store = authStore(.withNumber, .mock(authenticationStates: { states }))
    await store.send(.task)
    continuation.yield(true)
    await store.receive(.authenticationStatusResponse(true)) { $0.isAuthenticated = true }
    continuation.yield(true)
    await store.receive(.authenticationStatusResponse(true))
    continuation.yield(false)
    await store.receive(.authenticationStatusResponse(false)) {
      $0.isAuthenticated = false
      $0.phoneEntry = PhoneEntryFeature.State()
    }
    continuation.finish()
    await store.receive(.authenticationStatesEnded) { $0.isStale = true }
    await store.finish()
  }

  @Test func `a stream that ends by itself is restarted, and is stale until its first value`() async {
    let (clock, begun) = (TestClock(), Calls<AsyncStream<Bool>.Continuation>())
    let client = AuthClient.mock(authenticationStates: {
      let (stream, continuation) = AsyncStream<Bool>.makeStream()
      begun.note(continuation)
      // The first two end silently, as if the store could not be opened.
      if begun.count < 3 { continuation.finish() }
      return stream
    })
    let store = authStore(.withNumber, client, clock: clock)
    let task = await store.send(.task)
    await store.receive(.authenticationStatesEnded) { $0.isStale = true }
    await clock.advance(by: .seconds(1))
    await store.receive(.authenticationStatesEnded)
    await clock.advance(by: .milliseconds(1999))
    #expect(begun.count == 2)
    await clock.advance(by: .milliseconds(1))
    #expect(begun.count == 3)
    begun.all[2].yield(true)
    await store.receive(.authenticationStatusResponse(true)) { $0.isAuthenticated = true }
    await store.receive(.authenticationStatesResumed) { $0.isStale = false }
    begun.all[2].yield(true)
    await store.receive(.authenticationStatusResponse(true))
    await task.cancel()
    await clock.advance(by: .seconds(60))
    await store.finish()
    #expect(begun.count == 3)
  }

  @Test func `a session that ends elsewhere closes the question`() async {
    var state = AuthFeature.State.signedIn
    state.alert = AuthFeature.State.signOutQuestion
    let store = authStore(state)
    await store.send(.authenticationStatusResponse(false)) {
      $0.isAuthenticated = false
      $0.alert = nil
      $0.phoneEntry = PhoneEntryFeature.State()
    }
  }

  @Test func `a signed-out status leaves what a person is typing`() async {
    let store = authStore(.codeSent(code: "123"))
    await store.send(.authenticationStatusResponse(false))
  }

  @Test func `if the stream is faster than the answer to the code, the answer changes nothing`() async {
    let answer = LateAnswer<Void>()
    let store = authStore(.codeSent(code: "123456"), .mock(verifyCode: { _, _ in await answer.wait() }))
    await store.send(.verifyButtonTapped) { $0.isLoading = true }
    await answer.arrival()
    await store.send(.authenticationStatusResponse(true)) {
      $0.isLoading = false
      $0.isAuthenticated = true
      $0.verification = nil
    }
    answer.give(())
    await store.receive(.verifyCodeResponse(.success(())))
  }

  @Test func `a code that is sent while somebody is signed in opens nothing`() async {
    let answer = LateAnswer<String>()
    let store = authStore(.withNumber, .mock(sendVerificationCode: { _, _ in await answer.wait() }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await answer.arrival()
    await store.send(.authenticationStatusResponse(true)) {
      $0.isLoading = false
      $0.isAuthenticated = true
    }
    answer.give("id")
    await store.receive(.sendVerificationCodeResponse(.success("id")))
    await store.send(.signInButtonTapped)
  }

  @Test func `signing in for debugging works in debug builds only`() async {
    let store = authStore(.codeSent(code: "123456"))
    #if DEBUG
      await store.send(.debugSignInButtonTapped) {
        $0.isAuthenticated = true
        $0.verification = nil
      }
    #endif
    await store.send(.debugSignInButtonTapped)
  }

  @Test func `the debug sign-in cancels the running request`() async {
    let store = authStore(.withNumber, .mock(sendVerificationCode: { _, _ in try await suspendUntilCancelled() }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    #if DEBUG
      await store.send(.debugSignInButtonTapped) {
        $0.isLoading = false
        $0.isAuthenticated = true
      }
    #else
      await store.send(.backButtonTapped) { $0.isLoading = false }
    #endif
    await store.finish()
  }
}
