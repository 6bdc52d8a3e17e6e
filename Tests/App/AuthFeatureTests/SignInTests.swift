import AuthFeature
import Clients
import ComposableTesting
import Dependencies
import Foundation
import Model
import Testing

@MainActor
@Suite struct `Signing in` {
  @Test func `works with the flat actions`() async {
    let calls = Calls<[String]>()
    let client = AuthClient.mock(
      sendVerificationCode: { number, region in
        calls.note([number, region.code])
        return "id"
      },
      verifyCode: { code, id in calls.note([code, id]) })
    let store = authStore(AuthFeature.State(), client)
    await store.send(.phoneNumberChanged("202 555 0123")) {
      $0.phoneNumber = "202 555 0123"
      $0.isPhoneNumberValid = true
    }
    #expect(store.state.isSignInButtonEnabled)
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.success("id"))) {
      $0.isLoading = false
      $0.verificationID = "id"
      $0.isVerificationCodeSent = true
      $0.canResendCode = false
      $0.resendCodeTimer = 60
    }
    await store.send(.verificationCodeChanged("123 456")) {
      $0.verificationCode = "123456"
      $0.isVerificationCodeValid = true
    }
    #expect(store.state.isVerifyButtonEnabled)
    await store.send(.verifyButtonTapped) { $0.isLoading = true }
    #expect(!store.state.isVerifyButtonEnabled)
    await store.receive(.verifyCodeResponse(.success(()))) {
      $0.isLoading = false
      $0.isAuthenticated = true
      $0.isVerificationCodeSent = false
    }
    #expect(calls.all == [["202 555 0123", "US"], ["123456", "id"]])
  }

  @Test func `works with the children's actions`() async {
    let store = authStore(
      AuthFeature.State(), .mock(sendVerificationCode: { _, _ in "id" }, verifyCode: { _, _ in }))
    await store.send(.phoneEntry(.phoneNumberChanged("2025550123"))) {
      $0.phoneEntry?.phoneNumber = "2025550123"
      $0.phoneEntry?.isPhoneNumberValid = true
    }
    await store.send(.phoneEntry(.signInButtonTapped))
    await store.receive(.phoneEntry(.delegate(.signIn))) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.success("id"))) {
      $0.isLoading = false
      $0.verification = VerificationFeature.State(verificationID: "id", resendCodeTimer: 60)
    }
    await store.send(.verification(.verificationCodeChanged("123456"))) {
      $0.verification?.verificationCode = "123456"
      $0.verification?.isVerificationCodeValid = true
    }
    await store.send(.verification(.verifyButtonTapped))
    await store.receive(.verification(.delegate(.verify))) { $0.isLoading = true }
    await store.receive(.verifyCodeResponse(.success(()))) {
      $0.isLoading = false
      $0.isAuthenticated = true
      $0.verification = nil
    }
  }

  @Test func `a number is sent in plain digits, however it was typed`() async {
    let numbers = Calls<String>()
    let store = authStore(
      AuthFeature.State(),
      .mock(sendVerificationCode: { number, _ in
        numbers.note(number)
        throw refusal("No")
      }))
    store.exhaustivity = .off
    await store.send(.phoneNumberChanged("\u{202A}٢٠٢٥٥٥٠١٢٣\u{202C}"))
    await store.send(.signInButtonTapped)
    await store.receive(.sendVerificationCodeResponse(.failure(refusal("No"))))
    #expect(numbers.all == ["2025550123"])
  }

  @Test func `the region can be chosen, and is sent with the number`() async throws {
    let france = try #require(Region(code: "FR"))
    let regions = Calls<Region>()
    let store = authStore(
      AuthFeature.State(),
      .mock(sendVerificationCode: { _, region in
        regions.note(region)
        throw refusal("No")
      }))
    await store.send(.regionChanged(france)) { $0.selectedRegion = france }
    await store.send(.phoneNumberChanged("0612345678")) {
      $0.phoneNumber = "0612345678"
      $0.isPhoneNumberValid = true
    }
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.failure(refusal("No")))) {
      $0.isLoading = false
      $0.error = "No"
    }
    #expect(regions.all == [france])
  }

  @Test func `a wrong code is erased, and the person may try again`() async {
    let store = authStore(.codeSent(code: "000000"), .mock(verifyCode: { _, _ in throw refusal("Wrong code") }))
    await store.send(.verifyButtonTapped) { $0.isLoading = true }
    await store.receive(.verifyCodeResponse(.failure(refusal("Wrong code")))) {
      $0.isLoading = false
      $0.error = "Wrong code"
      $0.verificationCode = ""
      $0.isVerificationCodeValid = false
    }
    #expect(store.state.isVerificationCodeSent)
    #expect(store.state.verificationID == "verification-id")
    await store.send(.dismissError) { $0.error = nil }
  }

  @Test func `a code that did not reach the server stays, and may be tried again`() async {
    let tries = Calls<String>()
    let client = AuthClient.mock(verifyCode: { code, _ in
      tries.note(code)
      if tries.count == 1 { throw outage("The server cannot be reached") }
      if tries.count == 2 { throw NSError(domain: "any", code: 1, userInfo: [NSLocalizedDescriptionKey: "Something"]) }
    })
    let store = authStore(.codeSent(code: "123456"), client)
    store.exhaustivity = .off
    for words in ["The server cannot be reached", "Something"] {
      await store.send(.verifyButtonTapped)
      await store.skipReceivedActions()
      #expect(store.state.error == words)
      #expect(store.state.verificationCode == "123456")
      #expect(store.state.isVerifyButtonEnabled)
    }
    await store.send(.verifyButtonTapped)
    await store.receive(.verifyCodeResponse(.success(())))
    #expect(store.state.isAuthenticated)
    #expect(tries.all == ["123456", "123456", "123456"])
  }

  @Test func `a second tap while a request runs is ignored`() async {
    let calls = Calls<String>()
    let answer = LateAnswer<String>()
    let store = authStore(
      .withNumber,
      .mock(sendVerificationCode: { number, _ in
        calls.note(number)
        return await answer.wait()
      }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await store.send(.signInButtonTapped)
    await store.send(.signOutButtonTapped)
    await answer.arrival()
    answer.give("id")
    await store.receive(.sendVerificationCodeResponse(.success("id"))) {
      $0.isLoading = false
      $0.verification = VerificationFeature.State(verificationID: "id", resendCodeTimer: 60)
    }
    await store.send(.signInButtonTapped)
    #expect(calls.count == 1)
  }

  @Test func `a second tap while the code is verified is ignored`() async {
    let calls = Calls<String>()
    let answer = LateAnswer<Void>()
    let client = AuthClient.mock(verifyCode: { code, _ in
      calls.note(code)
      await answer.wait()
    })
    let store = authStore(.codeSent(code: "123456", seconds: 0), client)
    await store.send(.verifyButtonTapped) { $0.isLoading = true }
    await answer.arrival()
    await store.send(.verifyButtonTapped)
    await store.send(.resendCodeButtonTapped)
    answer.give(())
    await store.receive(.verifyCodeResponse(.success(()))) {
      $0.isLoading = false
      $0.isAuthenticated = true
      $0.verification = nil
    }
    #expect(calls.all == ["123456"])
  }

  @Test func `nothing is requested without a number, a code or an id`() async {
    let store = authStore(AuthFeature.State())
    await store.send(.signInButtonTapped)
    await store.send(.verifyButtonTapped)
    await store.send(.resendCodeButtonTapped)
    await store.send(.backButtonTapped)
    let typing = authStore(.codeSent(code: "123"))
    await typing.send(.verifyButtonTapped)
    var withoutID = AuthFeature.State.codeSent(code: "123456")
    withoutID.verificationID = nil
    await authStore(withoutID).send(.verifyButtonTapped)
  }

  @Test func `an error without a text gets one`() async {
    struct Obscure: Error {}
    let store = authStore(.withNumber, .mock(sendVerificationCode: { _, _ in throw Obscure() }))
    await store.send(.signInButtonTapped) { $0.isLoading = true }
    await store.receive(.sendVerificationCodeResponse(.failure(Obscure()))) {
      $0.isLoading = false
      $0.error = "That did not work. Please try again."
    }
  }

  @Test func `errors are set and dismissed`() async {
    let store = authStore(AuthFeature.State())
    await store.send(.setError("Look")) { $0.error = "Look" }
    await store.send(.dismissError) { $0.error = nil }
    await store.send(.dismissError)
    await store.send(.setError("Look")) { $0.error = "Look" }
    await store.send(.setError(nil)) { $0.error = nil }
  }
}
