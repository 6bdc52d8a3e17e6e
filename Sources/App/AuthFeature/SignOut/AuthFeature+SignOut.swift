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
      return state.alert == nil ? .none : signOut(losing: nil, &state)
    case .alert(.presented(.confirmSignOutLosing(let items))):
      // Only where the person was told of just this.
      return state.alert?.offersLosing(items) == true ? signOut(losing: items, &state) : .none
    case .alert(.presented(.dismissSignOutConfirmation)), .alert(.dismiss):
      state.alert = nil
      return .cancel(id: CancelID.pendingItems)
    case .signOutHeldBack(let items):
      return askAgain(about: items, &state)
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

  /// Where they cannot be counted, the question stays as it is: a person who says yes to it is told why.
  private func warn(of result: TaskResult<PendingItems>, _ state: inout State) -> Effect<Action> {
    guard state.alert != nil, case .success(let items) = result, !items.isEmpty else { return .none }
    state.alert = .signOutConfirmation(losing: items)
    return .none
  }

  /// Signs out at the cost of `items`, which the person was told; where they were told of none, only if there is none.
  ///
  /// Only the end of the store cancels it: a view that goes away must not leave it unknown whether the session has ended.
  private func signOut(losing items: PendingItems?, _ state: inout State) -> Effect<Action> {
    state.alert = nil
    guard !state.isLoading else { return .cancel(id: CancelID.pendingItems) }
    state.isLoading = true
    state.isSigningOut = true
    state.error = nil
    let signingOut = request { [authClient, alertClient] in
      try await attemptSignOut(losing: items, authClient, alertClient)
    } answer: {
      switch $0 {
      case .success(.some(let losses)): .signOutHeldBack(losses)
      case .success(.none): .signOutResponse(.success(()))
      case .failure(let error): .signOutResponse(.failure(error))
      }
    }
    return .merge(.cancel(id: CancelID.pendingItems), signingOut.uncancellable())
  }

  /// The person was quicker than the count, or something came since.
  private func askAgain(about items: PendingItems, _ state: inout State) -> Effect<Action> {
    guard state.isSigningOut, !items.isEmpty else { return .none }
    state.isSigningOut = false
    state.isLoading = false
    state.alert = .signOutConfirmation(losing: items)
    return .none
  }

  /// Ends the session here as well, or says why it could not be ended: then the person stays signed in. An answer that
  /// nobody waits for, as where the stream told of the end before it, changes nothing of what was begun since.
  private func sessionWasEnded(_ result: TaskResult<Void>, _ state: inout State) -> Effect<Action> {
    guard state.isSigningOut else { return .none }
    state.isSigningOut = false
    switch result {
    case .success:
      return endSession(&state)
    case .failure(let error):
      state.isLoading = false
      state.error = errorMessage(error)
      state.problem = .signOut
      return .none
    }
  }
}

/// Nil where the session has ended; else what it would have cost, which nobody was told.
private func attemptSignOut(
  losing items: PendingItems?, _ authClient: AuthClient, _ alertClient: AlertClient
) async throws -> PendingItems? {
  let accepted = if let items { items } else { try await pendingItems(authClient, alertClient) }
  guard items != nil || accepted.isEmpty else { return accepted }
  try await authClient.signOut(accepted.losses)
  return nil
}

/// What signing out would lose. The history is looked at only where anything was not sent; where it cannot be read, no alert
/// among that is named.
private func pendingItems(_ authClient: AuthClient, _ alertClient: AlertClient) async throws -> PendingItems {
  let losses = try await authClient.signOutLosses()
  guard losses.pendingCount > 0 else { return PendingItems(losses) }
  try Task.checkCancellation()
  let alerts = try? await alertClient.getAlertHistory()
  return PendingItems(
    losses, includesUnsentAlert: alerts?.contains { $0.stage == .saved && !$0.isDiscarded } ?? false)
}
