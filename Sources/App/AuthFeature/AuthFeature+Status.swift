import Clients
import Composable

extension AuthFeature {
  /// Handles the actions about the sign-in state.
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
      await send.unlessCancelled(.authenticationStatusResponse(isAuthenticated))
    }
    .cancellable(id: CancelID.status, cancelInFlight: true)
  }

  /// Follows the sign-in state until its effects are cancelled. A stream that ends by itself restarts; the state is stale until then.
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

  /// Shows that somebody is signed in, and clears the code.
  ///
  /// If the stream is faster than the answer to the code, that answer then does nothing.
  func becomeAuthenticated(_ state: inout State) -> Effect<Action> {
    state.isAuthenticated = true
    state.isLoading = state.isSigningOut
    state.verification = nil
    return VerificationFeature.cancelEffects()
  }

  /// Shows that nobody is signed in, and clears everything typed except the region.
  ///
  /// If the stream is faster than the answer to signing out, that answer then does nothing. An empty number is not valid.
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
