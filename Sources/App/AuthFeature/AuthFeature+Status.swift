import Clients
import Composable

extension AuthFeature {
  /// Answers what is about whether somebody is signed in.
  func answerStatus(_ action: Action, _ state: inout State) -> Effect<Action> {
    switch action {
    case .task:
      return observeStatus()
    case .checkAuthenticationStatus:
      return checkStatus()
    case .authenticationStatusResponse(let isAuthenticated):
      guard isAuthenticated != state.isAuthenticated else { return .none }
      return isAuthenticated ? becomeAuthenticated(&state) : endSession(&state)
    case .authenticationStatesEnded, .authenticationStatesResumed:
      state.isStale = action == .authenticationStatesEnded
      return .none
    case .debugSignInButtonTapped:
      return signInForDebugging(&state)
    default:
      return .none
    }
  }

  private func checkStatus() -> Effect<Action> {
    .run { [authClient] send in
      let isAuthenticated = await authClient.isAuthenticated()
      guard !Task.isCancelled else { return }
      await send(.authenticationStatusResponse(isAuthenticated))
    }
    .cancellable(id: CancelID.status, cancelInFlight: true)
  }

  /// Follows until its effects are cancelled; a stream that ends by itself is begun again, and what it gave counts as stale
  /// until then.
  private func observeStatus() -> Effect<Action> {
    .run { [authClient, clock] send in
      var hasEnded = false
      try await follow(authClient.authenticationStates, clock: clock) { isAuthenticated in
        await send(.authenticationStatusResponse(isAuthenticated))
        if hasEnded { await send(.authenticationStatesResumed) }
        hasEnded = false
      } ended: {
        hasEnded = true
        await send(.authenticationStatesEnded)
      }
    }
    .cancellable(id: CancelID.observation, cancelInFlight: true)
  }

  /// Somebody is signed in. The code has done its work and is erased.
  ///
  /// Where the stream was faster than the answer to the code, that answer finds nothing left to do.
  func becomeAuthenticated(_ state: inout State) -> Effect<Action> {
    state.isAuthenticated = true
    state.isLoading = state.isSigningOut
    state.verification = nil
    return VerificationFeature.cancelEffects()
  }

  /// Nobody is signed in any more, here or because the session ended elsewhere. Nothing that was typed is left but the region.
  ///
  /// Where the stream was faster than the answer to signing out, that answer finds nothing left to do. The seed emptied the
  /// number and left it valid, so that a code could be asked for without one.
  func endSession(_ state: inout State) -> Effect<Action> {
    state.isAuthenticated = false
    state.isLoading = false
    state.isSigningOut = false
    state.alert = nil
    state.verification = nil
    state.phoneEntry = PhoneEntryFeature.State(selectedRegion: state.selectedRegion)
    return .merge(
      .cancel(id: CancelID.signIn), .cancel(id: CancelID.pendingItems), VerificationFeature.cancelEffects())
  }

  private func signInForDebugging(_ state: inout State) -> Effect<Action> {
    #if DEBUG
      guard !state.isAuthenticated else { return .none }
      return .merge(.cancel(id: CancelID.signIn), becomeAuthenticated(&state))
    #else
      return .none
    #endif
  }
}
