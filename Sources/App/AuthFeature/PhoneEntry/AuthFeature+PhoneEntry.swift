import Clients
import Composable

extension AuthFeature {
  /// Answers what is about the number, and about sending a code to it.
  func answerPhoneEntry(_ action: Action, _ state: inout State) -> Effect<Action> {
    switch action {
    case .phoneNumberChanged(let phoneNumber):
      return reduceEntry(&state, .phoneNumberChanged(phoneNumber))
    case .regionChanged(let region):
      return reduceEntry(&state, .regionChanged(region))
    case .signInButtonTapped, .phoneEntry(.delegate(.signIn)):
      return signIn(&state)
    case .sendVerificationCodeResponse(let result):
      return codeWasSent(result, &state)
    default:
      return .none
    }
  }

  /// The flat actions are the child's, answered in its place.
  private func reduceEntry(_ state: inout State, _ action: PhoneEntryFeature.Action) -> Effect<Action> {
    phoneEntryFeature.reduce(into: &state.entry, action: action).map(Action.phoneEntry)
  }

  /// Asks for the first code. The seed asked again with each tap; a second one while a request runs is ignored here.
  private func signIn(_ state: inout State) -> Effect<Action> {
    guard !state.isAuthenticated, state.verification == nil, state.isSignInButtonEnabled else { return .none }
    return sendCode(&state)
  }

  /// Has a code sent to the number, the first one or another.
  func sendCode(_ state: inout State) -> Effect<Action> {
    state.isLoading = true
    state.error = nil
    let (phoneNumber, region) = (state.phoneNumber, state.selectedRegion)
    return request { [authClient] in
      try await authClient.sendVerificationCode(
        to: DialledText.normalized(phoneNumber) ?? phoneNumber, region: region)
    } answer: {
      .sendVerificationCodeResponse($0)
    }
    .cancellable(id: CancelID.signIn, cancelInFlight: true)
  }

  /// Shows where the code is typed. One that did not go out changes nothing but the words: the code before it still works.
  private func codeWasSent(_ result: TaskResult<String>, _ state: inout State) -> Effect<Action> {
    // Where somebody signed in meanwhile, in another process of this device, no code is needed any more.
    guard state.isLoading, !state.isSigningOut, !state.isAuthenticated else { return .none }
    state.isLoading = false
    switch result {
    case .success(let verificationID):
      return reduceVerification(
        &state, .codeSent(verificationID: verificationID), whereNone: VerificationFeature.State())
    case .failure(let error):
      state.error = errorMessage(error)
      return .none
    }
  }

  /// The number was changed: a code on its way to another one is of no use, nor is the place to type it.
  ///
  /// The seed showed the new number over the code that had gone to the old one.
  func abandonSignIn(_ state: inout State) -> Effect<Action> {
    guard !state.isAuthenticated, !state.isSigningOut, state.isLoading || state.verification != nil else {
      return .none
    }
    state.isLoading = false
    state.verification = nil
    return .merge(.cancel(id: CancelID.signIn), VerificationFeature.cancelEffects())
  }
}
