import AuthFeature
import Clients
import Composable
import ComposableTesting
import Dependencies
import Testing

@MainActor
@Suite struct `Going back, and changing the number` {
  @Test func `back cancels the request for a code`() async {
    let store = authStore(.withNumber, .mock(sendVerificationCode: { _, _ in try await suspendUntilCancelled() }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await store.send(.backButtonTapped) { $0.isLoading = false }
    await store.finish()
  }

  @Test func `back ends the countdown and erases the code`() async {
    let clock = TestClock()
    let store = authStore(.withNumber, .mock(sendVerificationCode: { _, _ in "id" }), clock: clock)
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.success("id"))) {
      $0.isLoading = false
      $0.verification = VerificationFeature.State(verificationID: "id", resendCodeTimer: 60)
    }
    await store.send(.verificationCodeChanged("123456")) {
      $0.verificationCode = "123456"
      $0.isVerificationCodeValid = true
    }
    await store.send(.backButtonTapped) {
      $0.isVerificationCodeSent = false
      $0.verificationCode = ""
      $0.verificationID = nil
      $0.canResendCode = false
      $0.resendCodeTimer = 0
    }
    await clock.advance(by: .seconds(700))
    await store.finish()
  }

  @Test func `the child's back does the same`() async {
    let clock = TestClock()
    let store = authStore(.codeSent(), clock: clock)
    await store.send(.verification(.verificationCodeChanged("1"))) { $0.verificationCode = "1" }
    await store.send(.verification(.backButtonTapped))
    await store.receive(.verification(.delegate(.goBack))) { $0.verification = nil }
    await clock.advance(by: .seconds(700))
    await store.finish()
  }

  @Test func `an answer that arrives after back is dropped`() async {
    let answer = LateAnswer<String>()
    let store = authStore(.withNumber, .mock(sendVerificationCode: { _, _ in await answer.wait() }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await answer.arrival()
    await store.send(.backButtonTapped) { $0.isLoading = false }
    answer.give("late")
    await store.finish()
  }

  @Test func `it is not sent, which would be reported as an issue`() async {
    let (answer, issues) = (LateAnswer<String>(), Calls<ReportedIssue>())
    await IssueReporting.withReporter({ issues.note($0) }) {
      let store = Store(initialState: AuthFeature.State.withNumber) {
        AuthFeature()
      } withDependencies: {
        $0.authClient = .mock(sendVerificationCode: { _, _ in await answer.wait() })
      }
      let request = store.send(.signInButtonTapped)
      await answer.arrival()
      store.send(.backButtonTapped)
      answer.give("late")
      await request.finish()
      #expect(store.state == .withNumber)
    }
    #expect(issues.all.isEmpty)
  }

  @Test func `a code accepted after back signs nobody in`() async {
    let answer = LateAnswer<Void>()
    let store = authStore(.codeSent(code: "123456"), .mock(verifyCode: { _, _ in await answer.wait() }))
    await store.send(.verifyButtonTapped) { $0.isLoading = true }
    await answer.arrival()
    await store.send(.backButtonTapped) {
      $0.isLoading = false
      $0.verification = nil
    }
    answer.give(())
    await store.finish()
  }

  @Test func `another number drops the pending code of the earlier one`() async {
    let store = authStore(.withNumber, .mock(sendVerificationCode: { _, _ in try await suspendUntilCancelled() }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await store.send(.phoneNumberChanged("2025550123"))
    await store.send(.phoneNumberChanged("2025550124")) {
      $0.phoneNumber = "2025550124"
      $0.isLoading = false
    }
    await store.finish()
  }

  @Test func `another number in the child drops the code of the earlier one`() async {
    let store = authStore(.codeSent(code: "123456"))
    await store.send(.phoneEntry(.phoneNumberChanged("2025550124"))) {
      $0.phoneEntry?.phoneNumber = "2025550124"
      $0.verification = nil
    }
  }

  @Test func `status and stream end with their effects`() async {
    let client = AuthClient.mock(
      isAuthenticated: {
        try? await suspendUntilCancelled()
        return true
      }, authenticationStates: { AsyncStream { _ in } })
    let store = authStore(AuthFeature.State(), client)
    let status = await store.send(.checkAuthenticationStatus)
    let stream = await store.send(.task)
    await status.cancel()
    await stream.cancel()
    await store.finish()
  }
}
