import Clients
import Composable
import Dependencies
import Foundation

extension AlertFeature {
  /// Fills the alert button so far. Full means raised; else it is emptied three seconds after the last tap.
  ///
  /// Mended: the timer compared the progress with that of a state captured before, slept on a clock that no test can set,
  /// and a further tap left the one before running. Now there is one timer on the injected clock, begun anew by each tap
  /// and cancelled by the one that fills the button. Taps while an alert is active or being saved raised another.
  func fillActivation(_ state: inout State, to progress: Double) -> Effect<Action> {
    guard state.canActivateAlert else { return .none }
    state.activationProgress = progress.asProgress
    if state.activationProgress == 0 { return .cancel(id: CancelID.activationReset) }
    guard state.isFullyActivated else { return resetActivationLater() }
    state.isActivatingAlert = true
    return .merge(.cancel(id: CancelID.activationReset), activate())
  }

  private func resetActivationLater() -> Effect<Action> {
    .run { send in
      try await clock.sleep(for: .seconds(3))
      await send.unlessCancelled(.setActivationProgress(0))
    }
    .cancellable(id: CancelID.activationReset, cancelInFlight: true)
  }

  /// Raises an alert; where one is active already, that one is the answer.
  func activate() -> Effect<Action> {
    .run { send in
      let result = await TaskResult { try await alertClient.activateAlert() }
      await send.unlessCancelled(.alertActivationResponse(result))
    }
    .cancellable(id: CancelID.activation, cancelInFlight: true)
  }

  /// Takes the answer, unless none is awaited: a second answer must not make an alert active that has ended since.
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
      return followAgain(state)
    }
  }

  /// Has responders told at once.
  ///
  /// A failure is none of the alert's: what they are to be told is queued with the alert, and is tried again. Mended: it was
  /// printed; now a programmer is told, and no cancellation is taken for a failure.
  func notify(_ endpoint: @escaping @Sendable () async throws -> Void) -> Effect<Action> {
    .run { _ in
      try await endpoint()
    } catch: { error, _ in
      IssueReporting.report(
  private func notSavedMessage(_ error: any Error) -> String {
    let message = errorMessage(error)
    guard !message.contains("NOT saved") else { return message }
    return "The alert is NOT saved. " + message.prefix(1).uppercased() + message.dropFirst()
  }

        "responders were not told at once, and will be when the queue is sent: \(errorMessage(error))",
        severity: .warning)
    }
  }
}
