import AppModel
import AuthFeature
import Clients
import Composable
import ComposableTesting
import Dependencies
import Testing

@MainActor
@Suite struct `Actions out of order` {
  /// Every answer and every tick, sent when nothing awaits it.
  nonisolated static let late: [AuthFeature.Action] = [
    .sendVerificationCodeResponse(.success("late")), .sendVerificationCodeResponse(.failure(refusal("late"))),
    .verifyCodeResponse(.success(())), .verifyCodeResponse(.failure(refusal("late"))), .timerTick,
    .pendingItemsResponse(.success(PendingItems(SignOutLosses(otherCount: 2)))),
    .pendingItemsResponse(.failure(refusal("late"))),
    .verificationCodeChanged("123456"), .verifyButtonTapped, .resendCodeButtonTapped, .backButtonTapped,
    .alert(.dismiss), .alert(.presented(.confirmSignOut)),
    .alert(.presented(.confirmSignOutLosing(PendingItems(SignOutLosses(otherCount: 1))))),
    .alert(.presented(.dismissSignOutConfirmation)), .dismissError, .signOutResponse(.success(())),
    .signOutResponse(.failure(refusal("late"))), .authenticationStatesResumed,
    .signOutHeldBack(PendingItems(SignOutLosses(otherCount: 1))),
  ]

  @Test(arguments: late)
  func `at the start they change nothing`(action: AuthFeature.Action) async {
    await authStore(.withNumber).send(action)
  }

  @Test(arguments: late + [.signInButtonTapped, .authenticationStatusResponse(true)])
  func `when somebody is signed in they change nothing`(action: AuthFeature.Action) async {
    await authStore(.signedIn).send(action)
  }

  @Test func `an unexpected answer to signing out changes nothing`() async {
    let store = authStore(.codeSent(code: "123"))
    await store.send(.signOutResponse(.success(())))
    await store.send(.signOutResponse(.failure(refusal("late"))))
    await store.send(.verifyCodeResponse(.success(())))
    await store.send(.sendVerificationCodeResponse(.success("late")))
  }

  @Test func `answers after back change nothing`() async {
    let store = authStore(.codeSent(code: "123456"))
    await store.send(.backButtonTapped) { $0.verification = nil }
    for action in Self.late { await store.send(action) }
    await store.send(.signOutResponse(.success(())))
  }

  @Test func `ticks at zero change nothing`() async {
    let store = authStore(.codeSent(seconds: 1))
    await store.send(.timerTick) {
      $0.resendCodeTimer = 0
      $0.canResendCode = true
    }
    await store.send(.timerTick)
    await store.send(.verification(.timerTick))
  }

  @Test func `an action of a removed child changes nothing`() {
    let actions: [VerificationFeature.Action] = [
      .verificationCodeChanged("123456"), .verifyButtonTapped, .resendCodeButtonTapped, .backButtonTapped, .timerTick,
      .codeSent(verificationID: "late"), .codeRefused, .codeExpired, .delegate(.verify), .delegate(.resend),
      .delegate(.goBack),
    ]
    let issues = Calls<ReportedIssue>()
    IssueReporting.withReporter({ issues.note($0) }) {
      let store = Store(initialState: AuthFeature.State.withNumber) { AuthFeature() }
      for action in actions {
        store.send(.verification(action))
        #expect(store.state == .withNumber)
      }
    }
    #expect(issues.count == actions.count)
    #expect(issues.all.allSatisfy { $0.severity == .warning })
  }

  @Test func `without a number's child the flat actions make one`() async {
    let store = authStore(AuthFeature.State(phoneEntry: nil))
    #expect(store.state.phoneNumber.isEmpty && !store.state.isSignInButtonEnabled)
    await store.send(.signInButtonTapped)
    await store.send(.phoneNumberChanged("2025550123")) {
      $0.phoneEntry = PhoneEntryFeature.State(phoneNumber: "2025550123", isPhoneNumberValid: true)
    }
  }
}

@Suite struct `The flat properties` {
  @Test func `nil values make no child`() {
    var state = AuthFeature.State(phoneEntry: nil)
    state.phoneNumber = ""
    state.selectedRegion = .unitedStates
    state.isPhoneNumberValid = false
    state.verificationCode = ""
    state.isVerificationCodeValid = false
    state.verificationID = nil
    state.canResendCode = false
    state.resendCodeTimer = 0
    state.isVerificationCodeSent = false
    #expect(state == AuthFeature.State(phoneEntry: nil))
  }

  @Test func `any order of setting them makes the same child`() {
    let setters: [(inout AuthFeature.State) -> Void] = [
      { $0.verificationID = "id" }, { $0.isVerificationCodeSent = true }, { $0.canResendCode = false },
      { $0.resendCodeTimer = 60 },
    ]
    for first in setters.indices {
      var state = AuthFeature.State()
      for offset in setters.indices { setters[(first + offset) % setters.count](&state) }
      #expect(state.verification == VerificationFeature.State(verificationID: "id", resendCodeTimer: 60))
    }
  }

  @Test func `isCodeSent means that the child exists`() {
    var state = AuthFeature.State()
    state.isVerificationCodeSent = true
    #expect(state.verification == VerificationFeature.State())
    state.verificationCode = "1"
    #expect(state.verification?.verificationCode == "1")
    state.isVerificationCodeSent = false
    #expect(state == AuthFeature.State())
  }
}
