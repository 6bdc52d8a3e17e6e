import AuthFeature
import ComposableTesting
import Foundation
import Testing

/// The seed's examples, word for word.
@MainActor
@Suite struct SeedTests {
  @Test func testSendVerificationCode_Success() async {
    let store = TestStore(initialState: AuthFeature.State()) {
      AuthFeature()
    } withDependencies: {
      $0.authClient.sendVerificationCode = { _, _ in
        return "verification-id"
      }
    }

    await store.send(.phoneNumberChanged("1234567890")) {
      $0.phoneNumber = "1234567890"
      $0.isPhoneNumberValid = true
    }

    await store.send(.signInButtonTapped) {
      $0.isLoading = true
    }

    await store.receive(.sendVerificationCodeResponse(.success("verification-id"))) {
      $0.isLoading = false
      $0.verificationID = "verification-id"
      $0.isVerificationCodeSent = true
      $0.canResendCode = false
      $0.resendCodeTimer = 60
    }
  }

  @Test func testSendVerificationCode_Failure() async {
    let error = NSError(domain: "auth", code: 1, userInfo: [NSLocalizedDescriptionKey: "Invalid phone number"])

    let store = TestStore(initialState: AuthFeature.State()) {
      AuthFeature()
    } withDependencies: {
      $0.authClient.sendVerificationCode = { _, _ in
        throw error
      }
    }

    await store.send(.phoneNumberChanged("1234567890")) {
      $0.phoneNumber = "1234567890"
      $0.isPhoneNumberValid = true
    }

    await store.send(.signInButtonTapped) {
      $0.isLoading = true
    }

    await store.receive(.sendVerificationCodeResponse(.failure(error))) {
      $0.isLoading = false
      $0.error = "Invalid phone number"
    }
  }
}
