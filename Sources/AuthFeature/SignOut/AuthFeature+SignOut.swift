import Clients
import Composable

extension AuthFeature {
  /// Answers what is about signing out.
  func answerSignOut(_ action: Action, _ state: inout State) -> Effect<Action> {
    switch action {
    case .signOutButtonTapped:
      return askBeforeSignOut(&state)
    case .pendingItemsResponse(let result):
      return warn(of: result, &state)
    case .alert(.presented(.confirmSignOut)):
      return state.alert == nil ? .none : signOut(discardingPending: false, &state)
    case .alert(.presented(.confirmSignOutDiscarding)):
      // Only where the person was told what is lost.
      return state.alert?.offersDiscarding == true ? signOut(discardingPending: true, &state) : .none
    case .alert(.presented(.dismissSignOutConfirmation)), .alert(.dismiss):
      state.alert = nil
      return .cancel(id: CancelID.pendingItems)
    case .signOutResponse(let result):
      return sessionWasEnded(result, &state)
    default:
      return .none
    }
  }

  /// Asks at once, and asks again in other words where it turns out that something would be lost.
  private func askBeforeSignOut(_ state: inout State) -> Effect<Action> {
    guard !state.isLoading else { return .none }
    state.alert = .signOutConfirmation
    return request { [authClient, alertClient] in
      try await pendingItems(authClient, alertClient)
    } answer: {
      .pendingItemsResponse($0)
    }
    .cancellable(id: CancelID.pendingItems, cancelInFlight: true)
  }

  /// Where they cannot be counted, the question stays as it is: signing out is refused while anything waits.
  private func warn(of result: TaskResult<PendingItems>, _ state: inout State) -> Effect<Action> {
    guard state.alert != nil, case .success(let items) = result, items.count > 0 else { return .none }
    state.alert = .signOutConfirmation(losing: items)
    return .none
  }

  private func signOut(discardingPending: Bool, _ state: inout State) -> Effect<Action> {
    state.alert = nil
    guard !state.isLoading else { return .cancel(id: CancelID.pendingItems) }
    state.isLoading = true
    state.error = nil
    let signingOut = request { [authClient] in
      try await authClient.signOut(discardingPending)
    } answer: {
      .signOutResponse($0)
    }
    return .merge(.cancel(id: CancelID.pendingItems), signingOut)
  }

  /// Ends the session here as well, or says why it could not be ended: then the person stays signed in.
  private func sessionWasEnded(_ result: TaskResult<Void>, _ state: inout State) -> Effect<Action> {
    guard state.isAuthenticated || state.isLoading && state.verification == nil else { return .none }
    switch result {
    case .success:
      return endSession(&state)
    case .failure(let error):
      state.isLoading = false
      state.error = errorMessage(error)
      return .none
    }
  }
}

/// What signing out would lose. The alerts are looked at only where there is anything; where they cannot be read, none is
/// named.
private func pendingItems(_ authClient: AuthClient, _ alertClient: AlertClient) async throws -> PendingItems {
  let count = try await authClient.pendingItemCount()
  guard count > 0 else { return PendingItems(count: 0) }
  try Task.checkCancellation()
  let alerts = try? await alertClient.getAlertHistory()
  return PendingItems(
    count: count, includesUnsentAlert: alerts?.contains { $0.stage == .saved && !$0.isDiscarded } ?? false)
}
