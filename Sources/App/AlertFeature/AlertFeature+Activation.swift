import Clients
import Composable
import Dependencies
import FoundationEssentials

extension AlertFeature {
  /// Fills the alert button to `progress`. A full button raises an alert; otherwise it empties three seconds after the last tap.
  ///
  /// There is one timer: each tap restarts it, and the tap that fills the button cancels it. While an alert is active or being
  /// saved, taps change nothing.
  func fillActivation(_ state: inout State, to progress: Double) -> Effect<Action> {
    guard state.canActivateAlert else { return .none }
    state.activationProgress = progress.asProgress
    if state.activationProgress == 0 { return .cancel(id: CancelID.activationReset) }
    guard state.isFullyActivated else { return resetActivationLater() }
    state.isActivatingAlert = true
    return .merge(.cancel(id: CancelID.activationReset), activate())
  }

  /// Detached: waiting for a tap does not wait for this, and a cancelled tap still empties the button, so that a single later tap does
  /// not fill it.
  private func resetActivationLater() -> Effect<Action> {
    .run { send in
      try await clock.sleep(for: .seconds(3))
      await send.unlessCancelled(.setActivationProgress(0))
    }
    .detached()
    .cancellable(id: CancelID.activationReset, cancelInFlight: true)
  }

  /// Raises an alert; if one is already active, that one is the answer.
  ///
  /// Only the end of the store cancels it: a view that disappears cancels the task of the fourth tap, and the button would then wait
  /// forever for an answer.
  private func activate() -> Effect<Action> {
    .run { send in
      let result = await TaskResult { try await alertClient.activateAlert() }
      await send.unlessCancelled(.alertActivationResponse(result))
    }
    .uncancellable()
  }

  /// Shows the answer, unless none is awaited: a second answer must not make an ended alert active again. A failure says that the
  /// alert is NOT saved, whatever was thrown.
  func finishActivation(_ state: inout State, _ result: TaskResult<Date>) -> Effect<Action> {
    guard state.isActivatingAlert else { return .none }
    state.isActivatingAlert = false
    state.activationProgress = 0
    switch result {
    case .success(let startTime):
      setAlert(&state, isActive: true, startTime: startTime, endTime: nil)
      state.error = nil
      return notify(notificationClient.notifyRespondersOfAlert).merge(with: followAgain(state))
    case .failure(let error):
      state.error = notSavedMessage(error)
      state.problem = error.wasSent ? .sentNotSaved : .notSaved
      return followAgain(state)
    }
  }

  private func notSavedMessage(_ error: any Error) -> String {
    let message = errorMessage(error)
    if (error as? any AlertSavingError)?.savingFailure != nil { return message }
    return AlertFeatureTexts.notSaved(message)
  }

  /// Has the responders told at once.
  ///
  /// A failure here leaves the alert unaffected: the message is queued with the alert and retried. It is reported to the programmer;
  /// a cancellation is not a failure.
  func notify(_ endpoint: @escaping @Sendable () async throws -> Void) -> Effect<Action> {
    .run { _ in
      try await endpoint()
    } catch: { error, _ in
      IssueReporting.report(
        AlertFeatureTexts.notToldAtOnce(errorMessage(error)), severity: .warning)
    }
    .uncancellable()
  }
}

extension Error {
  /// Whether the server has what this device could not save.
  var wasSent: Bool { (self as? any AlertSavingError)?.savingFailure == .sentNotSaved }
}
