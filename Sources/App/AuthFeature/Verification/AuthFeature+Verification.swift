import Clients
import Composable

extension AuthFeature {
  /// Answers what is about the code.
  func answerVerification(_ action: Action, _ state: inout State) -> Effect<Action> {
    switch action {
    case .verificationCodeChanged(let code):
      return reduceVerification(&state, .verificationCodeChanged(code))
    case .timerTick:
      return reduceVerification(&state, .timerTick)
    case .verifyButtonTapped, .verification(.delegate(.verify)):
      return verify(&state)
    case .resendCodeButtonTapped, .verification(.delegate(.resend)):
      return state.isResendButtonEnabled ? sendCode(&state) : .none
    case .backButtonTapped, .verification(.delegate(.goBack)):
      return goBack(&state)
    case .verifyCodeResponse(let result):
      return codeWasVerified(result, &state)
    default:
      return .none
    }
  }

  /// The flat actions are the child's, answered in its place; what its effects send comes as the flat ones again.
  func reduceVerification(
    _ state: inout State, _ action: VerificationFeature.Action, whereNone initial: VerificationFeature.State? = nil
  ) -> Effect<Action> {
    guard var verification = state.verification ?? initial else { return .none }
    let effect = verificationFeature.reduce(into: &verification, action: action)
    state.verification = verification
    return effect.map { $0 == .timerTick ? .timerTick : .verification($0) }
  }

  private func verify(_ state: inout State) -> Effect<Action> {
    guard !state.isLoading, let verification = state.verification, verification.canVerify,
      let verificationID = verification.verificationID
    else { return .none }
    state.isLoading = true
    state.error = nil
    return request { [authClient, code = verification.verificationCode] in
      try await authClient.verifyCode(code, verificationID: verificationID)
    } answer: {
      .verifyCodeResponse($0)
    }
    .cancellable(id: CancelID.signIn, cancelInFlight: true)
  }

  /// Signs in, or erases the code that was refused and lets the person type again. One that the server did not judge stays:
  /// it may still work.
  private func codeWasVerified(_ result: TaskResult<Void>, _ state: inout State) -> Effect<Action> {
    guard state.isLoading, !state.isSigningOut, state.verification != nil else { return .none }
    switch result {
    case .success:
      return becomeAuthenticated(&state)
    case .failure(let error):
      state.isLoading = false
      state.error = errorMessage(error)
      let isRefusal = (error as? any ServerRequestError)?.isRefusal ?? false
      return isRefusal ? reduceVerification(&state, .codeRefused) : .none
    }
  }

  /// Returns to the number, and cancels the request: its answer would open the entry of the code again.
  private func goBack(_ state: inout State) -> Effect<Action> {
    guard !state.isAuthenticated, !state.isSigningOut else { return .none }
    state.isLoading = false
    state.error = nil
    state.verification = nil
    return .merge(.cancel(id: CancelID.signIn), VerificationFeature.cancelEffects())
  }
}
