import AuthFeature
import Clients
import ComposableTesting
import Testing

@MainActor
@Suite struct `Work before a code` {
  @Test func `is shown until the answer is there`() async {
    let answer = LateAnswer<String>()
    let (work, telling) = AsyncStream<Int>.makeStream()
    let store = authStore(
      .withNumber, .mock(sendVerificationCode: { _, _ in await answer.wait() }, codeWork: { work }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await answer.arrival()
    telling.yield(10)
    await store.receive(.codeWorkBegan(seconds: 10)) { $0.codeWorkSeconds = 10 }
    telling.yield(20)
    await store.receive(.codeWorkBegan(seconds: 20)) { $0.codeWorkSeconds = 20 }
    answer.give("id")
    await store.receive(.sendVerificationCodeResponse(.success("id"))) {
      $0.isLoading = false
      $0.codeWorkSeconds = nil
      $0.verificationID = "id"
      $0.isVerificationCodeSent = true
      $0.resendCodeTimer = 60
    }
    telling.yield(30)
    await store.send(.backButtonTapped) { $0.isVerificationCodeSent = false }
    await store.finish()
  }

  @Test func `is shown no more after back, and ends`() async {
    let (work, telling) = AsyncStream<Int>.makeStream()
    let store = authStore(
      .withNumber,
      .mock(sendVerificationCode: { _, _ in try await suspendUntilCancelled() }, codeWork: { work }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    telling.yield(10)
    await store.receive(.codeWorkBegan(seconds: 10)) { $0.codeWorkSeconds = 10 }
    await store.send(.backButtonTapped) {
      $0.isLoading = false
      $0.codeWorkSeconds = nil
    }
    await store.finish()
  }

  @Test func `that nobody asked for is not shown`() async {
    let store = authStore(.withNumber)
    await store.send(.codeWorkBegan(seconds: 10))
    await store.finish()
  }
}
