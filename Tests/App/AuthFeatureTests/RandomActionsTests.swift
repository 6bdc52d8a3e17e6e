import AppModel
import AuthFeature
import Clients
import Composable
import Dependencies
import Model
import TestSupport
import Testing

extension SeededRandom {
  fileprivate mutating func index(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
}

@MainActor
@Suite struct `Random actions` {
  private let texts = ["", "2025550123", "+442079460958", "12", "abc", "123456", "12a456", "123 456", "\0", "😀"]
  private let regions = ["US", "FR", "GB", "QX"].compactMap(Region.init(code:))

  private func action(_ random: inout SeededRandom) -> AuthFeature.Action {
    let text = texts[random.index(texts.count)]
    let failure = refusal("No")
    // Every other action is a step towards a code; otherwise the walk would rarely get there.
    if Int.random(in: 0..<2, using: &random) == 0 {
      let way: [AuthFeature.Action] = [
        .phoneNumberChanged("2025550123"), .signInButtonTapped, .sendVerificationCodeResponse(.success("id")),
        .verificationCodeChanged("123456"), .timerTick, .authenticationStatusResponse(false),
      ]
      return way[random.index(way.count)]
    }
    let actions: [AuthFeature.Action] = [
      .phoneNumberChanged(text), .phoneEntry(.phoneNumberChanged(text)), .phoneEntry(.signInButtonTapped),
      .phoneEntry(.delegate(.signIn)), .regionChanged(regions[random.index(regions.count)]), .signInButtonTapped,
      .verificationCodeChanged(text), .verification(.verificationCodeChanged(text)), .verifyButtonTapped,
      .verification(.verifyButtonTapped), .verification(.delegate(.verify)), .resendCodeButtonTapped,
      .verification(.delegate(.resend)), .backButtonTapped, .verification(.delegate(.goBack)), .timerTick,
      .verification(.timerTick), .verification(.codeExpired), .verification(.codeRefused),
      .sendVerificationCodeResponse(.success("id")), .sendVerificationCodeResponse(.failure(failure)),
      .verifyCodeResponse(.success(())), .verifyCodeResponse(.failure(failure)), .signOutButtonTapped,
      .pendingItemsResponse(.success(PendingItems(SignOutLosses(otherCount: Int.random(in: 0...2, using: &random))))),
      .alert(.presented(.confirmSignOut)), .alert(.dismiss),
      .alert(
        .presented(
          .confirmSignOutLosing(PendingItems(SignOutLosses(otherCount: Int.random(in: 1...2, using: &random)))))),
      .signOutHeldBack(PendingItems(SignOutLosses(otherCount: Int.random(in: 0...1, using: &random)))),
      .authenticationStatesEnded,
      .authenticationStatesResumed,
      .alert(.presented(.dismissSignOutConfirmation)), .signOutResponse(.success(())),
      .signOutResponse(.failure(failure)), .authenticationStatusResponse(Bool.random(using: &random)),
      .debugSignInButtonTapped, .setError("x"), .setError(nil), .dismissError, .task, .checkAuthenticationStatus,
    ]
    return actions[random.index(actions.count)]
  }

  private func check(_ state: AuthFeature.State) -> Bool {
    let entry = state.phoneEntry
    let verification = state.verification
    return entry != nil
      && entry?.isPhoneNumberValid == PhoneValidator.isValid(state.phoneNumber, for: state.selectedRegion)
      && !(state.isAuthenticated && verification != nil)
      && (0...60).contains(state.resendCodeTimer)
      && (verification == nil || state.canResendCode == (state.resendCodeTimer == 0))
      && (verification == nil || verification?.verificationID != nil)
      && (!state.isVerificationCodeValid || state.verificationCode.utf8.count == 6)
      && (!state.isSignInButtonEnabled || !state.isLoading)
      && (!state.isSigningOut || state.isLoading)
  }

  @Test func `every order of them leaves a consistent state`() {
    IssueReporting.withReporter({ #expect($0.severity == .warning) }) {
      let feature = withDependencies {
        $0.context = .test
      } operation: {
        Reduce(AuthFeature())
      }
      var (signedIn, codes) = (0, 0)
      for seed in 0..<2_000 {
        var random = SeededRandom(seed: UInt64(seed))
        var state = AuthFeature.State()
        for step in 0..<60 {
          let action = action(&random)
          _ = feature.reduce(into: &state, action: action)
          guard check(state) else {
            Issue.record("sequence \(seed), step \(step): \(action) left \(state)")
            return
          }
          signedIn += state.isAuthenticated ? 1 : 0
          codes += state.isVerificationCodeSent ? 1 : 0
        }
      }
      #expect(signedIn > 10_000 && codes > 5_000, "the walk must come everywhere: \(signedIn), \(codes)")
    }
  }

  @Test func `with immediate effects it becomes idle, signed out or in`() async {
    let client = AuthClient.mock(
      isAuthenticated: { true }, sendVerificationCode: { _, _ in "id" }, verifyCode: { _, _ in }, signOut: { _ in },
      authenticationStates: { AsyncStream { $0.finish() } }, signOutLosses: { SignOutLosses() })
    await IssueReporting.withReporter({ #expect($0.severity == .warning) }) {
      for seed in 0..<100 {
        var random = SeededRandom(seed: UInt64(seed) &* 7919)
        let store = Store(initialState: AuthFeature.State()) {
          AuthFeature()
        } withDependencies: {
          $0.context = .test
          $0.authClient = client
        }
        var tasks: [StoreTask] = []
        for _ in 0..<40 {
          tasks.append(store.send(action(&random)))
          #expect(check(store.state))
          await Task.yield()
        }
        for task in tasks { await task.finish() }
        #expect(check(store.state))
        #expect(!store.isLoading, "nothing runs any more")
      }
    }
  }
}
