import Clients
import Composable

extension AuthFeature {
  /// Handles the actions about the number, and about sending a code to it.
  func answerPhoneEntry(_ action: Action, _ state: inout State) -> Effect<Action> {
    switch action {
    case .phoneNumberChanged(let phoneNumber):
      return reduceEntry(&state, .phoneNumberChanged(phoneNumber))
    case .regionChanged(let region):
      return reduceEntry(&state, .regionChanged(region))
    case .signInButtonTapped, .phoneEntry(.delegate(.signIn)):
      return signIn(&state)
    case .codeWorkBegan(let seconds):
      if state.isLoading, !state.isSigningOut { state.codeWorkSeconds = seconds }
      return .none
    case .sendVerificationCodeResponse(let result):
      return codeWasSent(result, &state)
    default:
      return .none
    }
  }

  /// Handles the flat actions as the child would.
  private func reduceEntry(_ state: inout State, _ action: PhoneEntryFeature.Action) -> Effect<Action> {
    phoneEntryFeature.reduce(into: &state.entry, action: action).map(Action.phoneEntry)
  }

  /// Requests the first code. A second tap during a request is ignored.
  private func signIn(_ state: inout State) -> Effect<Action> {
    guard !state.isAuthenticated, state.verification == nil, state.isSignInButtonEnabled else { return .none }
    return sendCode(&state)
  }

  /// Requests a code for the number, the first one or another.
  func sendCode(_ state: inout State) -> Effect<Action> {
    state.isLoading = true
    state.error = nil
    let (phoneNumber, region) = (state.phoneNumber, state.selectedRegion)
    return .run { [authClient] send in
      let work = authClient.codeWork()
      async let _: Void = tell(of: work, send)
      let result = await TaskResult {
        try await authClient.sendVerificationCode(
          to: DialedText.normalized(phoneNumber) ?? phoneNumber, region: region)
      }
      await send.unlessCancelled(.sendVerificationCodeResponse(result))
    }
    .cancellable(id: CancelID.signIn, cancelInFlight: true)
  }

  /// Says how long the work takes, until its task is cancelled.
  private func tell(of work: AsyncStream<Int>, _ send: Send<Action>) async {
    for await seconds in work { await send.unlessCancelled(.codeWorkBegan(seconds: seconds)) }
  }

  /// Shows the entry of the code. A failed request only shows an error: the earlier code still works.
  private func codeWasSent(_ result: TaskResult<String>, _ state: inout State) -> Effect<Action> {
    // If another process of this device has signed in meanwhile, no code is needed.
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

  /// Drops a code on its way to another number, and its entry, because the number was changed.
  func abandonSignIn(_ state: inout State) -> Effect<Action> {
    guard !state.isAuthenticated, !state.isSigningOut, state.isLoading || state.verification != nil else {
      return .none
    }
    state.isLoading = false
    state.verification = nil
    return .merge(.cancel(id: CancelID.signIn), VerificationFeature.cancelEffects())
  }
}
