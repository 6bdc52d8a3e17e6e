import AuthFeature
import Clients
import ComposableTesting
import Dependencies
import Testing

@MainActor
@Suite struct `Asking for another code` {
  private func receiveTicks(_ store: AuthStore, _ seconds: ClosedRange<Int>) async {
    for second in seconds {
      await store.receive(.timerTick) {
        $0.resendCodeTimer = 60 - second
        $0.canResendCode = second == 60
      }
    }
  }

  private func storeWithCodeSent(_ clock: TestClock, _ ids: [String] = ["first", "second"]) async -> AuthStore {
    let calls = Calls<String>()
    let client = AuthClient.mock(sendVerificationCode: { number, _ in
      calls.note(number)
      return ids[calls.count - 1]
    })
    let store = authStore(.withNumber, client, clock: clock)
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.success("first"))) {
      $0.isLoading = false
      $0.verificationID = "first"
      $0.isVerificationCodeSent = true
      $0.canResendCode = false
      $0.resendCodeTimer = 60
    }
    return store
  }

  @Test func `it is refused after 59 seconds and possible after 60`() async {
    let clock = TestClock()
    let store = await storeWithCodeSent(clock)
    await clock.advance(by: .seconds(59))
    await receiveTicks(store, 1...59)
    #expect(!store.state.isResendButtonEnabled)
    await store.send(.resendCodeButtonTapped)
    await clock.advance(by: .seconds(1))
    await receiveTicks(store, 60...60)
    #expect(store.state.isResendButtonEnabled)
    // The countdown is over: nothing ticks any more.
    await clock.advance(by: .seconds(60))
    await store.finish()
  }

  @Test func `another code restarts the countdown, with one timer`() async {
    let clock = TestClock()
    let store = await storeWithCodeSent(clock)
    await clock.advance(by: .seconds(60))
    await receiveTicks(store, 1...60)
    await store.send(.resendCodeButtonTapped) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.success("second"))) {
      $0.isLoading = false
      $0.verificationID = "second"
      $0.canResendCode = false
      $0.resendCodeTimer = 60
    }
    await clock.advance(by: .seconds(60))
    await receiveTicks(store, 1...60)
    await store.finish()
  }

  @Test func `a second countdown replaces the first timer`() async {
    let clock = TestClock()
    let store = await storeWithCodeSent(clock)
    await clock.advance(by: .milliseconds(500))
    await store.send(.verification(.codeSent(verificationID: "second"))) { $0.verificationID = "second" }
    await clock.advance(by: .seconds(2))
    // The first timer would have ticked at 1 s and 2 s, the second does at 1.5 s and 2.5 s.
    for second in 1...2 {
      await store.receive(.verification(.timerTick)) { $0.resendCodeTimer = 60 - second }
    }
    await store.send(.backButtonTapped) { $0.isVerificationCodeSent = false }
  }

  @Test func `the text for the earlier code is erased with it`() async {
    let store = authStore(
      .codeSent(code: "123456", seconds: 0), .mock(sendVerificationCode: { _, _ in "second" }))
    await store.send(.resendCodeButtonTapped) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.success("second"))) {
      $0.isLoading = false
      $0.verification = VerificationFeature.State(verificationID: "second", resendCodeTimer: 60)
    }
  }

  @Test func `if it cannot be sent, the earlier code still works`() async {
    let verified = Calls<[String]>()
    let client = AuthClient.mock(
      sendVerificationCode: { _, _ in throw refusal("No connection") },
      verifyCode: { code, id in verified.note([code, id]) })
    let store = authStore(.codeSent(code: "123456", seconds: 0), client)
    await store.send(.resendCodeButtonTapped) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.failure(refusal("No connection")))) {
      $0.isLoading = false
      $0.error = "No connection"
    }
    #expect(store.state.isResendButtonEnabled)
    await store.send(.verifyButtonTapped) {
      $0.isLoading = true
      $0.error = nil
    }
    await store.receive(.verifyCodeResponse(.success(()))) {
      $0.isLoading = false
      $0.isAuthenticated = true
      $0.verification = nil
    }
    #expect(verified.all == [["123456", "verification-id"]])
  }

  @Test func `a second answer does not start a second timer`() async {
    let clock = TestClock()
    let store = await storeWithCodeSent(clock)
    // A second answer, out of order: it is ignored and begins no second timer.
    await store.send(.sendVerificationCodeResponse(.success("third")))
    await clock.advance(by: .seconds(2))
    await receiveTicks(store, 1...2)
    await store.send(.backButtonTapped) { $0.isVerificationCodeSent = false }
    await clock.advance(by: .seconds(60))
  }
}
