import LifeSignalFeatures

extension ScreenFeature {
  /// Follows what the features did with `action`: a new dialog starts with its default button and cannot be answered at once, a key
  /// that was held to end an alert must be released before it raises the next, and problems are kept.
  func followFeatures(_ state: inout State, after action: Action) -> Effect<Action> {
    state.keepProblems(after: action)
    return .merge(
      followDialog(&state, after: action), followEnd(&state, after: action), followNeed(&state, after: action))
  }

  private func followDialog(_ state: inout State, after action: Action) -> Effect<Action> {
    let dialog = state.presented?.id
    if dialog != state.lastDialog {
      state.lastDialog = dialog
      state.chosenButton = nil
      state.dialogGuard = DialogGuard()
      guard dialog != nil else { return .merge(.cancel(id: CancelID.dialogAge), .cancel(id: CancelID.keyPause)) }
      return .merge(
        later(.dialogAged, milliseconds: DialogGuard.ageMilliseconds, id: .dialogAge), waitForKeysToPause())
    }
    guard case .key = action, dialog != nil, state.dialogGuard.awaitsPause else { return .none }
    return waitForKeysToPause()
  }

  private func waitForKeysToPause() -> Effect<Action> {
    later(.keysPaused, milliseconds: DialogGuard.pauseMilliseconds, id: .keyPause)
  }

  private func followEnd(_ state: inout State, after action: Action) -> Effect<Action> {
    let hasEnded = state.wasAlertActive && !state.alert.isAlertActive
    state.wasAlertActive = state.alert.isAlertActive
    if hasEnded {
      state.repeats.waitForPause()
      if state.panel == .update { state.panel = .overview }
    }
    guard state.repeats.isWaitingForPause else { return .none }
    if case .key = action {} else if !hasEnded { return .none }
    return later(.keyLetGo, milliseconds: Int(KeyRepeatFilter.pauseMilliseconds), id: .letGo)
  }

  /// Sends `action` after a while. Calling it again restarts the time.
  private func later(_ action: Action, milliseconds: Int, id: CancelID) -> Effect<Action> {
    Effect<Action>.run { [clock] send in
      try await clock.sleep(for: .milliseconds(milliseconds))
      await send.unlessCancelled(action)
    }
    .cancellable(id: id, cancelInFlight: true)
  }
}

extension ScreenFeature.State {
  fileprivate mutating func keepProblems(after action: ScreenFeature.Action) {
    switch action {
    case .alert(.alertActivationResponse(.failure)):
      notSaved = alert.error.map { ScreenFeature.NotSaved(reason: $0, wasSent: alert.problem == .sentNotSaved) }
    case .alert(.alertButtonTapped): notSaved = nil
    case .alert(.alertStatusResponse(.failure(let error))) where notSaved == nil: storeProblem = errorMessage(error)
    case .alert(.alertStatusResponse(.success)), .alert(.alertSnapshotChanged): forgetStoreProblem()
    case .auth(.phoneNumberChanged), .auth(.verificationCodeChanged), .auth(.regionChanged), .auth(.backButtonTapped):
      signInProblem = nil
    default: break
    }
    if alert.isAlertActive { forgetNotSaved() }
    if auth.isLoading || auth.isAuthenticated { signInProblem = nil }
    if let error = auth.error, !auth.isAuthenticated { signInProblem = error }
  }

  /// Forgets an earlier failed attempt, because an alert was raised since.
  private mutating func forgetNotSaved() {
    if alert.problem == .notSaved || alert.problem == .sentNotSaved { alert.error = nil }
    notSaved = nil
    forgetStoreProblem()
  }

  private mutating func forgetStoreProblem() {
    if alert.problem == .statusUnreadable { alert.error = nil }
    storeProblem = nil
  }
}
